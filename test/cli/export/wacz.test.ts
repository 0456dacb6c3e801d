/** Tests `export --format wacz`: the package, its index, its pages, and exports beside a running process. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, gunzipSync } from 'node:zlib';
import { ZipStream } from '../../../src/archive/zip-stream.ts';
import { waczBytes } from '../../../src/cli/commands/export-wacz.ts';
import { retain } from '../../../src/crawl/retention/retain.ts';
import type { Store } from '../../../src/store/contract.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { VersionedCopy } from '../../crawl/retention/rounds-of-versions.ts';
import { dataFolder } from '../../crawl/stored-crawl.ts';
import { NOW_MS } from '../../store/rows.ts';
import { readZip, type ZippedFile } from '../setup/read-zip.ts';
import { runCli } from '../setup/run-cli.ts';
import { HOSTILE_TITLE, makeSmallCrawl, removeCrawl, SEED, SITE } from '../setup/small-crawl.ts';

async function whole(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function contents(files: readonly ZippedFile[]): Map<string, string> {
  return new Map(files.map(({ name, content }) => [name, content.toString('utf8')]));
}

function jsonLines(text: string): Record<string, string>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The lines of the compressed index, each block read at the place that the second index names. */
function indexOf(files: readonly ZippedFile[]): string {
  const text = contents(files);
  const data = files.find(({ name }) => name === 'indexes/index.cdx.gz')!.content;
  const [meta, ...blocks] = text.get('indexes/index.idx')!.trimEnd().split('\n');
  assert.equal(meta, '!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}');
  const lines = blocks.map((block) => {
    const { offset, length, digest } = JSON.parse(block.slice(block.indexOf('{')));
    const member = data.subarray(offset, offset + length);
    assert.equal(digest, `sha256:${hash('sha256', member, 'hex')}`);
    const its = gunzipSync(member).toString('utf8');
    assert.ok(its.startsWith(block.slice(0, block.indexOf('{'))));
    return its;
  });
  return lines.join('');
}

test('a WACZ file has the archive, its index, the pages and the digests, and is the same each time', async (t) => {
  const crawl = await makeSmallCrawl();
  t.after(() => removeCrawl(crawl));
  const [one, two] = [join(crawl.dir, 'one.wacz'), join(crawl.dir, 'two.wacz')];
  for (const output of [one, two]) {
    const { exitCode, stderr } = await runCli('export', '--dir', crawl.dir, '--format', 'wacz', '--output', output);
    assert.deepEqual([exitCode, stderr], [0, '']);
  }
  assert.ok(readFileSync(one).equals(readFileSync(two)));
  const files = readZip(readFileSync(one));
  assert.deepEqual(new Set(files.map(({ method }) => method)), new Set([0]), 'nothing is compressed by the ZIP file');
  const text = contents(files);
  const about = JSON.parse(text.get('datapackage.json')!);
  assert.deepEqual([about.profile, about.wacz_version, about.mainPageUrl], ['data-package', '1.1.1', SEED]);
  assert.equal(
    JSON.parse(text.get('datapackage-digest.json')!).hash,
    `sha256:${hash('sha256', text.get('datapackage.json')!, 'hex')}`,
  );
  const described = files.filter(({ name }) => !name.startsWith('datapackage'));
  assert.deepEqual(
    about.resources,
    described.map(({ name, content }) => ({
      name: name.split('/')[1]!.toLowerCase(),
      path: name,
      hash: `sha256:${hash('sha256', content, 'hex')}`,
      bytes: content.length,
    })),
  );
  const archived = described.filter(({ name }) => name.startsWith('archive/'));
  assert.equal(Buffer.concat(archived.map(({ content }) => content)).length, crawl.committedBytes);
  const { stdout: cdxj } = await runCli('export', '--dir', crawl.dir, '--format', 'cdxj');
  assert.equal(indexOf(files), cdxj);
  const [head, seed, ...noMore] = jsonLines(text.get('pages/pages.jsonl')!);
  assert.equal(head!.format, 'json-pages-1.0');
  assert.deepEqual(
    [seed!.url, seed!.title, seed!.ts, noMore.length],
    [SEED, HOSTILE_TITLE, '2025-11-15T09:46:40.000Z', 0],
  );
  const others = jsonLines(text.get('pages/extraPages.jsonl')!).slice(1);
  assert.deepEqual(
    others.map(({ url }) => url),
    ['/a', '/b', '/copy'].map((path) => SITE + path),
  );
});

test('a copy without responses cannot be a WACZ file', async (t) => {
  const dir = dataFolder(t);
  mkdirSync(join(dir, 'archive'));
  const store = openSqliteStore(dir, NOW_MS);
  t.after(() => store.close());
  await assert.rejects(waczBytes(store, dir).next(), { code: 'ERR_NOT_IN_COPY' });
});

test('a WACZ file is complete while another process rewrites the archive or adds to it', async (t) => {
  const copy = new VersionedCopy(dataFolder(t), 8, new SeededRandom(31));
  for (let n = 0; n < 5; n++) await copy.round();
  const store = openSqliteStore(copy.dir, NOW_MS);
  t.after(() => store.close());
  const before = await store.archiveFiles();
  let isShrunk = false;
  const rewritten = Object.create(store, {
    captures: {
      value: async function* (...words: Parameters<Store['captures']>) {
        if (!isShrunk)
          await retain(store, copy.archiveDir, { kind: 'newest', contents: 1 }, copy.nowMs, { neededShare: 1 });
        isShrunk = true;
        yield* store.captures(...words);
      },
    },
  }) as Store;
  const files = readZip(await whole(waczBytes(rewritten, copy.dir)));
  const named = (index: string) =>
    new Set(
      index
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line.slice(line.indexOf('{'))).filename),
    );
  const archived = files
    .filter(({ name }) => name.startsWith('archive/'))
    .map(({ name }) => name.slice('archive/'.length));
  assert.ok(
    [...before.keys()].some((name) => !archived.includes(name)),
    'files were removed',
  );
  assert.deepEqual([...named(indexOf(files))].sort(), archived.sort());

  // The store knows responses that are behind the lengths that were committed when the export began.
  const [[file, bytes]] = [...(await store.archiveFiles())] as [[string, number]];
  const last = (await store.capturesIn([file]))[0]!.offsets.at(-1)!;
  const earlier = Object.create(store, {
    archiveFiles: { value: async () => new Map([...(await store.archiveFiles()), [file, last]]) },
  }) as Store;
  const told: string[] = [];
  const partly = readZip(await whole(waczBytes(earlier, copy.dir, (line) => told.push(line))));
  assert.equal(partly.find(({ name }) => name === `archive/${file}`)!.content.length, last);
  assert.ok(last < bytes);
  assert.equal(indexOf(partly).split('\n').length, indexOf(files).split('\n').length - 1);
  assert.match(told.join('\n'), /^1 response is left out: /);
});

test('a ZIP file with sizes, places and counts beyond the old limits has ZIP64 fields', async () => {
  const names = Array.from({ length: 3 }, (_, n) => `folder/file-${n}`);
  const zip = new ZipStream(Date.UTC(2026, 10, 17), 100);
  const chunks: Buffer[] = [];
  for (const name of names) {
    const content = Buffer.from(name.repeat(name.endsWith('1') ? 20 : 2));
    const entry = { name, bytes: content.length, crc: crc32(content), content: [content] };
    for await (const chunk of zip.entry(entry)) chunks.push(chunk);
  }
  chunks.push(...zip.end());
  const files = readZip(Buffer.concat(chunks));
  assert.deepEqual(
    files.map(({ name, content }) => [name, content.length]),
    names.map((name) => [name, name.length * (name.endsWith('1') ? 20 : 2)]),
  );
  const changed = new ZipStream(0).entry({ name: 'a', bytes: 1, crc: 0, content: [Buffer.from('x')] });
  await assert.rejects(whole(changed), { code: 'ERR_ARCHIVE', message: /changed while it was copied/ });
});
