/** Tests `export --format warc` while another process rewrites the archive. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { warcBytes } from '../../../src/cli/commands/export-archive.ts';
import { retain } from '../../../src/crawl/retention/retain.ts';
import type { Store } from '../../../src/store/contract.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { readWithWarcio } from '../../archive/independent-reader.ts';
import { VersionedCopy } from '../../crawl/retention/rounds-of-versions.ts';
import { dataFolder } from '../../crawl/stored-crawl.ts';
import { NOW_MS } from '../../store/rows.ts';

async function openCopy(t: TestContext): Promise<{ copy: VersionedCopy; store: Store }> {
  const copy = new VersionedCopy(dataFolder(t), 8, new SeededRandom(31));
  for (let n = 0; n < 5; n++) await copy.round();
  const store = openSqliteStore(copy.dir, NOW_MS);
  t.after(() => store.close());
  return { copy, store };
}

function shrink(copy: VersionedCopy, store: Store) {
  return retain(store, copy.archiveDir, { kind: 'newest', contents: 1 }, copy.nowMs, { neededShare: 1 });
}

async function exported(copy: VersionedCopy, bytes: AsyncIterable<Buffer>): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const path = join(copy.dir, 'all.warc.gz');
  writeFileSync(path, Buffer.concat(chunks));
  return (await readWithWarcio(path)).length;
}

test('an export that has started is complete, even if files are removed meanwhile', async (t) => {
  const { copy, store } = await openCopy(t);
  const all = (await copy.records()).length;
  const bytes = warcBytes(store, copy.dir);
  const first = await bytes.next();
  assert.ok((await shrink(copy, store)).files > 0);
  const rest = (async function* () {
    yield first.value as Buffer;
    yield* bytes;
  })();
  assert.equal(await exported(copy, rest), all);
});

test('an export that finds a file missing asks the store once more', async (t) => {
  const { copy, store } = await openCopy(t);
  const before = await store.archiveFiles();
  await shrink(copy, store);
  let asked = 0;
  const late = Object.create(store, {
    archiveFiles: { value: async () => (asked++ === 0 ? before : store.archiveFiles()) },
  }) as Store;
  assert.equal(await exported(copy, warcBytes(late, copy.dir)), (await copy.records()).length);
  assert.equal(asked, 3);
  rmSync(join(copy.archiveDir, copy.files()[0]!));
  await assert.rejects(warcBytes(store, copy.dir).next(), { code: 'ERR_ARCHIVE', message: /has 0 of \d+ bytes/ });
});
