/** Kills a process while it writes to a store. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

/**
 * Starts a program that writes to the folder and prints a line for each step, and
 * kills it at line `lines`. Returns the lines.
 */
export async function killAfter<Told>(
  program: string,
  args: readonly string[],
  lines: number,
  meanwhile = async (): Promise<void> => {},
): Promise<Told[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const told: Told[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      told.push(JSON.parse(line));
      if (told.length === lines) child.kill('SIGKILL');
      await meanwhile();
    }
  } finally {
    child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return told;
}

export function checkIntegrity(dir: string): void {
  const db = new DatabaseSync(join(dir, 'crawl.db'));
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  db.close();
}
