/**
 * The entry point of the single-file version (dist/orbweaver-watcher.mjs). It has only the watch
 * command and prints errors as one line.
 */

import { OrbweaverError } from '../core/errors.ts';
import { helpText } from '../core/help.ts';
import { safeLines } from '../core/safe-text.ts';
import { asksForJsonLog, logLine } from '../core/text/log-lines.ts';
import { VERSION } from '../core/version.ts';
import { keepProcessSmall } from './low-memory-process.ts';
import { runWatch, watchHelp } from './watch-command.ts';

const PROGRAM = 'node orbweaver-watcher.mjs';

const tidy = keepProcessSmall();
const words = process.argv.slice(2);
try {
  process.exitCode = await main();
} catch (error) {
  const isKnown = error instanceof OrbweaverError;
  const [message, code] = isKnown ? [error.message, error.code] : [String((error as Error).stack), 'ERR_INTERNAL'];
  const line = asksForJsonLog(words)
    ? logLine('error', 'error', { code, message })
    : `${safeLines(`orbweaver-watcher: ${message} [${code}]`)}\n`;
  process.stderr.write(line);
  process.exitCode = isKnown ? error.exitCode : 1;
}

async function main(): Promise<number> {
  if (words.length === 0 || words.includes('--help')) {
    process.stdout.write(helpText(watchHelp(PROGRAM)));
    return words.length === 0 ? 2 : 0;
  }
  if (words.includes('--version')) {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  return runWatch(PROGRAM, words, tidy);
}
