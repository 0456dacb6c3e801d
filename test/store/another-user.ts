/**
 * A process of a user who may read the data folder but not write to it. If the tests run
 * as root, the process gives up its rights.
 */
import { chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `nobody` on most systems; the number alone is enough. */
export const OTHER_ID = 65_534;
export const isRoot = process.getuid?.() === 0;

export function becomeAnotherUser(): void {
  if (!isRoot) return;
  process.setgroups!([]);
  process.setgid!(OTHER_ID);
  process.setuid!(OTHER_ID);
}

/** Removes the write permission from everything below a folder, and lets everybody read it. */
export function forbidWriting(path: string): void {
  const isFolder = lstatSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) forbidWriting(join(path, name));
  chmodSync(path, isFolder ? 0o555 : 0o444);
}

/** Gives the owner the write permission back, so that the folder can be removed. */
export function allowWriting(path: string): void {
  const isFolder = lstatSync(path).isDirectory();
  chmodSync(path, isFolder ? 0o755 : 0o644);
  if (isFolder) for (const name of readdirSync(path)) allowWriting(join(path, name));
}

/**
 * Every file below a folder with its content, mode and modification time. If
 * two results are equal, nothing was written.
 */
export function contentOf(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(dir, name);
      const { mode, size, mtimeMs } = lstatSync(path);
      const isFile = lstatSync(path).isFile();
      return `${name} ${mode.toString(8)} ${size} ${mtimeMs} ${isFile ? readFileSync(path, 'base64') : ''}`;
    });
}
