/**
 * Compares every stemmer with libstemmer: the program `stemwords` of the Debian package libstemmer-tools stems the same
 * words. The word lists are a folder, named by the environment variable PROOF_WORDS, with a file `<stemmer>.txt` for
 * each stemmer, one word per line: those of the Snowball project (snowball-data), or any other. PROOF_STEMWORDS names
 * the program, if it is not on the path.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stemOf } from '../src/search/analysis/analyze.ts';
import { STEMMERS } from '../test/search/analysis/stemmer-names.ts';
import type { Proof, ProofRow } from './proof.ts';

const run = promisify(execFile);
const MAX_OUTPUT = 256 * 1024 * 1024;
const SHOWN = 3;

const { PROOF_WORDS: folder = '', PROOF_STEMWORDS: program = 'stemwords' } = process.env;

export const proof: Proof = {
  claim: 'Every stemmer gives the stems of libstemmer.',
  async lacks() {
    if (folder === '') return 'Set PROOF_WORDS to a folder with word lists, such as those of snowball-data.';
    const found = await run(program, ['-l', 'english', '-i', '/dev/null']).catch(() => null);
    return found === null ? `The program ${program} cannot be run; install libstemmer-tools.` : null;
  },
  async run({ report, workFolder }) {
    const rows: ProofRow[] = [];
    let all = 0;
    for (const [language, name] of Object.entries(STEMMERS)) {
      const words = new Set(
        (await readFile(join(folder, `${name}.txt`), 'utf8')).split('\n').filter((word) => word !== ''),
      );
      const input = join(workFolder, `${name}.txt`);
      await writeFile(input, `${[...words].join('\n')}\n`);
      const { stdout } = await run(program, ['-l', name, '-i', input], { maxBuffer: MAX_OUTPUT });
      const expected = stdout.split('\n');
      const wrong: string[] = [];
      let withoutStem = 0;
      for (const [at, word] of [...words].entries()) {
        const stem = stemOf(word, language);
        if (stem === null) withoutStem++;
        else if (stem !== expected[at]) wrong.push(`${word} → ${stem}, not ${expected[at]}`);
      }
      const measured = `${wrong.length} of ${words.size - withoutStem}${withoutStem > 0 ? `; ${withoutStem} without a stem` : ''}`;
      report(`${name}: ${[measured, ...wrong.slice(0, SHOWN)].join('; ')}`);
      rows.push({ what: `${name} (${language})`, target: '0 different stems', measured, holds: wrong.length === 0 });
      all += words.size;
    }
    return {
      rows,
      notes: [
        `${all} words.`,
        'Words without a stem have a digit, or a symbol that no word of the index has.',
        `The lists are those of snowball-data; the Arabic and the Tamil list are from the Python package wordfreq.`,
        `libstemmer 2.2.0 of Debian 12.`,
      ],
    };
  },
};
