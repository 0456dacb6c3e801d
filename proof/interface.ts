/**
 * The web interface and its API under generated requests, abuse, interruptions, large copies and crawls at full speed.
 * The program is built first, as users have it.
 *
 * Words choose parts (`api`, `metrics`, `attacks`, `abuse`, `interruptions`, `large-copy`, `view`, `speed`); a number is the
 * minutes for which the live view is watched.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Proof, ProofRow } from './proof.ts';

const BUILD = join(import.meta.dirname, '..', 'build', 'build-package.ts');

export const proof: Proof = {
  claim:
    'The web interface answers what its document says, stays responsive and small, loses no change, and yields to no attack.',

  async run(context) {
    const built = join(context.workFolder, 'built');
    await promisify(execFile)(process.execPath, [BUILD, built, '--no-types'], { cwd: join(BUILD, '..', '..') });
    // The parts read this variable when they are loaded (test/setup/built-program.ts).
    process.env.TEST_BUILT_PROGRAM = built;
    const { PARTS } = await import('./interface/parts.ts');
    const chosen = context.words.filter((word) => Object.hasOwn(PARTS, word));
    const rows: ProofRow[] = [];
    for (const name of chosen.length > 0 ? chosen : Object.keys(PARTS)) {
      context.report(`part ${name}`);
      rows.push(...(await PARTS[name]!(context)));
    }
    const notes = [
      'Responsiveness follows the paper: two refreshes of the screen are expected in each second, and a second with more or fewer counts as a lag or a freeze. A refresh is the frame that is painted after a report of the run has arrived.',
      'Crawls with and without watchers ran in turn on the same machine as their web server, the server of the interface and Chromium.',
      'schemathesis has the seed 1. The stream of events, which never ends, and the start of runs are left out there.',
    ];
    return { rows, notes };
  },
};
