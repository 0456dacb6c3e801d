/**
 * `orbweaver watch`: runs the watcher of a web site. `--print-file` prints the watcher as
 * one file for servers without Orbweaver.
 */
import { readFileSync } from 'node:fs';
import { OrbweaverError } from '../../core/errors.ts';
import { keepProcessSmall } from '../../watcher/low-memory-process.ts';
import { runWatch, watchHelp } from '../../watcher/watch-command.ts';
import type { Command } from '../arguments.ts';

const PROGRAM = 'orbweaver watch';
const PRINT_FLAG = '--print-file';
const help = watchHelp(PROGRAM);

export const command: Command = {
  help: {
    ...help,
    examples: [...help.examples, `${PROGRAM} ${PRINT_FLAG} > orbweaver-watcher.mjs`],
    flags: {
      ...help.flags,
      [PRINT_FLAG.slice(2)]: {
        hint: '',
        help: 'print the watcher as one file that needs Node 18 or later and nothing else',
      },
    },
  },

  async run(words) {
    if (words.length === 1 && words[0] === PRINT_FLAG) {
      process.stdout.write(bundle());
      return 0;
    }
    return runWatch(PROGRAM, words, keepProcessSmall());
  },
};

function bundle(): Buffer {
  // In an installation the file is in the same folder as this one. In the sources it must be built first.
  for (const path of ['./orbweaver-watcher.mjs', '../../../dist/orbweaver-watcher.mjs']) {
    try {
      return readFileSync(new URL(path, import.meta.url));
    } catch {
      // Try the next place.
    }
  }
  throw new OrbweaverError('ERR_USAGE', 'the watcher file is not built yet; run: npm run build:watcher');
}
