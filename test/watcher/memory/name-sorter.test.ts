import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SiteTree } from '../../../src/watcher/detect/site-tree.ts';
import { NameSorter } from '../../../src/watcher/memory/name-sorter.ts';
import { NoticeBook } from '../../../src/watcher/memory/notices.ts';
import { testView } from '../detect/watched-folder.ts';

const openFiles = () => readdirSync('/proc/self/fd').length;

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'names-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('names that do not fit in memory are sorted with temporary files, which are deleted', (t) => {
  const folder = newFolder(t);
  const sorter = new NameSorter(folder, 3);
  const names = Array.from({ length: 200 }, (_, at) => `${(at * 37) % 100}.html`);
  for (const name of names) sorter.add(name);
  assert.deepEqual([...{ [Symbol.iterator]: () => sorter.sorted() }], [...new Set(names)].sort());
  sorter.close();
  assert.deepEqual(readdirSync(folder), []);
});

test('a full disk leaves neither a file nor an open descriptor behind', (t) => {
  if (!existsSync('/dev/full') || !existsSync('/proc/self/fd')) return t.skip('no /dev/full here');
  const folder = newFolder(t);
  // All possible file numbers are covered, because the current number is unknown.
  for (let at = 0; at < 300; at++) symlinkSync('/dev/full', join(folder, `names-${process.pid}-${at}`));
  const [files, descriptors] = [readdirSync(folder).length, openFiles()];
  for (let tries = 1; tries <= 3; tries++) {
    const sorter = new NameSorter(folder, 2);
    sorter.add('a');
    assert.throws(() => sorter.add('b'), { code: 'ENOSPC' });
    sorter.close();
    assert.equal(readdirSync(folder).length, files - tries);
    assert.equal(openFiles(), descriptors);
  }
});

test('a listing that is not read to its end leaves no files behind', (t) => {
  const folder = newFolder(t);
  const spill = join(folder, 'spill');
  const root = join(folder, 'root');
  for (const each of [spill, root]) mkdirSync(each);
  for (let at = 0; at < 5_000; at++) writeFileSync(join(root, `${at}`), '');
  const listing = new SiteTree(testView(root), new NoticeBook(() => {}), spill, 100).list(0, '');
  assert.equal(listing.next().done, false);
  assert.notEqual(readdirSync(spill).length, 0);
  listing.return(null);
  assert.deepEqual(readdirSync(spill), []);
});
