import { OrbweaverError } from '../core/errors.ts';

/** The user fixes a full disk and an exhausted quota in the same way, so both have the same error code. */
const FULL_DISK = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** Converts an error of the file system to an error whose code says how to fix it. */
export function archiveError(what: string, cause: unknown): OrbweaverError {
  if (cause instanceof OrbweaverError) return cause;
  const systemCode = (cause as { code?: unknown } | null)?.code;
  const detail = cause instanceof Error ? cause.message : String(cause);
  if (FULL_DISK.has(systemCode)) {
    return new OrbweaverError('ERR_DISK_FULL', `${what}: the disk is full; make room and start again (${detail})`, {
      cause,
    });
  }
  return new OrbweaverError('ERR_ARCHIVE', `${what}: ${detail}`, { cause });
}

/** Runs file operations and converts their errors. */
export function tryArchive<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw archiveError(what, cause);
  }
}
