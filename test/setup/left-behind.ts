/** Asks the kernel whether any process still works in a folder. */
import { readdirSync, readlinkSync } from 'node:fs';

export function isAnyoneIn(folder: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => `${workingFolder(pid)}/`.startsWith(`${folder}/`));
}

function workingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}
