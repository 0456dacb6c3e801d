import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ContentReader } from '../../../src/watcher/detect/read-content.ts';
import { hashOf } from './watched-folder.ts';

test('reading a file that keeps growing stops at its first size, and it is read again next time', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'read-content-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'log.txt');
  const begun = Buffer.alloc(5 * 1024 * 1024, 'a');
  writeFileSync(path, begun);
  let pauses = 0;
  const reader = new ContentReader(
    () => Date.now() + 60_000,
    async () => {
      assert.ok(++pauses < 10, 'it has no end');
      appendFileSync(path, begun);
    },
  );
  const content = await reader.read(path, false);
  assert.ok(typeof content !== 'string');
  assert.deepEqual([content.hash, content.stamp.size, content.isFresh], [hashOf(begun), begun.length, true]);
});
