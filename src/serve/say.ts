/** Messages of the server for the terminal in which it runs. */
import { safeLines } from '../core/safe-text.ts';

export function say(message: string): void {
  process.stderr.write(`${safeLines(message)}\n`);
}
