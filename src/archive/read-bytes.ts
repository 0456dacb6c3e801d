/** Reads bytes at a position of a file. A result is shorter than asked only if the file ends before. */
import { closeSync, openSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** Returns the part of the buffer that was filled. */
export function readInto(buffer: Buffer, fd: number, position: number): Buffer {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

/** Like `readInto`, without blocking. The buffer may already have its first `kept` bytes. */
export async function readIntoAsync(buffer: Buffer, handle: FileHandle, position: number, kept = 0): Promise<Buffer> {
  let filled = kept;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

export function readRange(path: string, offset: number, length: number): Buffer {
  const fd = openSync(path, 'r');
  try {
    return readInto(Buffer.allocUnsafe(length), fd, offset);
  } finally {
    closeSync(fd);
  }
}
