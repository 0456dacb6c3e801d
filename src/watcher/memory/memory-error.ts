import { OrbweaverError } from '../../core/errors.ts';

/** The memory contains data that the watcher did not write. It has to be built again. */
export class DamagedMemory extends OrbweaverError {
  constructor(what: string) {
    super('ERR_STORE', `the memory of the watcher is damaged: ${what}`);
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** The error for a failed write. Changes that were stored before are not lost. */
export function unwritable(folder: string, cause: unknown): OrbweaverError {
  if (cause instanceof OrbweaverError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  return FULL.has(code ?? '')
    ? new OrbweaverError('ERR_DISK_FULL', `the disk is full: the watcher cannot write to ${folder}`, { cause })
    : new OrbweaverError('ERR_DIR', `the watcher cannot write to ${folder}: ${message}`, { cause });
}
