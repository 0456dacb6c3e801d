import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../../src/core/clock.ts';
import { Detector } from '../../../src/watcher/detect/detector.ts';
import { SiteMemory } from '../../../src/watcher/detect/site-memory.ts';
import { seeded } from './make-page.ts';
import { Mutator } from './mutate.ts';
import { allPages, fastPace, Reader, served, testView } from './watched-folder.ts';

const KILLS = Number(process.env.WATCHER_KILLS ?? 12);

test('killed again and again while it works and the folder changes, it loses no change and gives none twice', async (t) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'watched-')));
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'root');
  mkdirSync(root);
  const random = seeded(11);
  const mutator = new Mutator(root, random);
  mutator.fill(400);
  const view = testView(root);
  const reader = new Reader();
  let epoch: string | null = null;
  let followed = 0;

  for (let kill = 0; kill < KILLS; kill++) {
    const program = join(import.meta.dirname, 'follow-until-killed.ts');
    const child = spawn(process.execPath, [program, base, String(1_000 + kill)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    // A moment of its work, whatever it is doing then: the first ones during the first sweep.
    await setTimeout(kill < 2 ? random(40) : random(400));
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);

    for (let each = random(10); each > 0; each--) mutator.step();
    // Every other time nobody mends in peace: the next one finds what two kills left.
    if (kill % 2 === 0) continue;
    const memory = await SiteMemory.open(join(base, 'memory'), systemClock);
    try {
      epoch ??= memory.epoch;
      assert.equal(memory.epoch, epoch, 'no kill damages it');
      const detector = new Detector(memory, view, fastPace(), systemClock, () => ({ events: [] }), {
        maxWatchedFolders: 0,
      });
      if (kill >= 5 || memory.isComplete) {
        if (!memory.isComplete) await detector.sweep();
        if (reader.cursor === 0 && reader.pages.size === 0) {
          // What was noted so far has been read by nobody: begin with the listing.
          await reader.list(memory);
        }
        followed += (await reader.follow(memory)).length;
        if (kill % 4 === 3) {
          await detector.sweep();
          followed += (await reader.follow(memory)).length;
          assert.deepEqual([...reader.pages].sort(), [...served(view)].sort(), 'a reader ends with what is served');
          const pages = await allPages(memory);
          assert.deepEqual(pages.map(({ url, hash }) => [url, hash]).sort(), [...served(view)].sort());
          assert.equal(memory.pageCount, pages.length);
        }
      }
      await detector.stop();
    } finally {
      await memory.close();
    }
  }
  assert.ok(followed > 50, `only ${followed} changes were followed`);
});
