import { OrbweaverError } from '../core/errors.ts';

/** A full disk and a used-up quota have the same cure, so they have the same code. */
const FULL_DISK = new Set<unknown>(['ENOSPC', 'EDQUOT']);

/** What the file system refused, as an error whose code says what to do about it. */
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
