import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from './make-page.ts';
import { Mutator } from './mutate.ts';
import { watchFolder } from './watched-folder.ts';

/** `WATCHER_SEEDS=5-60` runs more seeds. */
const [FROM, TO] = (process.env.WATCHER_SEEDS ?? '1-2').split('-').map(Number) as [number, number];
const SEEDS = Array.from({ length: TO - FROM + 1 }, (_, at) => FROM + at);

for (const seed of SEEDS) {
  test(`random changes between and during sweeps are all reported, without false ones (seed ${seed})`, async (t) => {
    const random = seeded(seed);
    let mutator: Mutator | null = null;
    let isBusy = false;
    const watched = await watchFolder(
      t,
      (root) => {
        mutator = new Mutator(root, random);
        mutator.fill(1_500);
      },
      {
        filesPerPause: 40,
        maxNames: 60,
        maxHeld: 30,
        maxWatchedFolders: 0,
        onPause: () => {
          if (isBusy) for (let each = random(4); each > 0; each--) mutator!.step();
        },
      },
      { maxOverlay: 150, maxJournalBytes: 1024 * 1024 * 1024 },
    );
    const { detector, memory, reader, compare } = watched;
    assert.equal((await detector.sweep()).isFirst, true);
    await reader.list(memory);
    assert.equal(memory.lastSeq, 0);
    await compare();
    for (let round = 0; round < 25; round++) {
      for (let each = random(30); each > 0; each--) mutator!.step();
      isBusy = round % 2 === 1;
      await detector.sweep();
      await reader.follow(memory);
      isBusy = false;
      await detector.sweep();
      await compare();
      const seq: number = memory.lastSeq;
      if (round % 10 === 0) await detector.sweep();
      assert.equal(memory.lastSeq, seq, 'nothing happened, nothing is reported');
    }
    for (const kind of ['new', 'updated', 'deleted', 'moved'])
      assert.ok(reader.kinds[kind]! > 4, `${kind}: ${reader.kinds[kind]}`);
  });
}
