/**
 * Changes a folder while watching it, and prints a line for each sweep, until it
 * is killed. Arguments: base folder, seed.
 */
import { join } from 'node:path';
import { systemClock } from '../../../src/core/clock.ts';
import { Detector } from '../../../src/watcher/detect/detector.ts';
import { SiteMemory } from '../../../src/watcher/memory/site-memory.ts';
import { seeded } from './make-page.ts';
import { Mutator } from './mutate.ts';
import { testParts, testView } from './watched-folder.ts';

const [base, seed] = process.argv.slice(2) as [string, string];
const random = seeded(Number(seed));
const root = join(base, 'root');
const mutator = new Mutator(root, random);
const memory = await SiteMemory.open(join(base, 'memory'), systemClock, { maxOverlay: 40 });
const detector = new Detector(testParts(memory, testView(root)), {
  filesPerPause: 10,
  maxNames: 50,
  maxHeld: 20,
  maxWatchedFolders: 0,
  onPause: () => {
    if (random(3) === 0) mutator.step();
  },
});
console.log(memory.epoch);
for (;;) await detector.sweep();
