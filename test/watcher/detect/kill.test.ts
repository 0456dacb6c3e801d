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
import { SiteMemory } from '../../../src/watcher/memory/site-memory.ts';
import { seeded } from './make-page.ts';
import { Mutator } from './mutate.ts';
import { allPages, Reader, served, testParts, testView } from './watched-folder.ts';

const KILLS = Number(process.env.WATCHER_KILLS ?? 12);

test('repeated kills during work on a changing folder lose no change and report none twice', async (t) => {
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
    // A random moment of its work. The first kills happen during the first sweep.
    await setTimeout(kill < 2 ? random(40) : random(400));
    child.kill('SIGKILL');
    assert.deepEqual(await exited, [null, 'SIGKILL']);

    for (let each = random(10); each > 0; each--) mutator.step();
    // Every other time the memory is not opened in between, so the next process finds the state after two kills.
    if (kill % 2 === 0) continue;
    const memory = await SiteMemory.open(join(base, 'memory'), systemClock);
    try {
      epoch ??= memory.epoch;
      assert.equal(memory.epoch, epoch, 'no kill damages the memory');
      const detector = new Detector(testParts(memory, view), { maxWatchedFolders: 0 });
      if (kill >= 5 || memory.isComplete) {
        if (!memory.isComplete) await detector.sweep();
        if (reader.cursor === 0 && reader.pages.size === 0) {
          // No reader has read the changes so far, so it begins with the listing.
          await reader.list(memory);
        }
        followed += (await reader.follow(memory)).length;
        if (kill % 4 === 3) {
          await detector.sweep();
          followed += (await reader.follow(memory)).length;
          assert.deepEqual([...reader.pages].sort(), [...served(view)].sort(), 'a reader ends with the served state');
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
