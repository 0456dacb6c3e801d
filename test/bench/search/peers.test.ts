/** The benchmark of search: engines answer the queries that are chosen from their documents, and the times arrive. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chooseQueries, QUERY_KINDS } from '../../../bench/search/choose-queries.ts';
import { type Collection, DocumentMaker } from '../../../bench/search/collection.ts';
import { CONTENDERS } from '../../../bench/search/contenders.ts';
import { measureEngines } from '../../../bench/search/measure.ts';
import { seededRandom } from '../../../testbed/random.ts';

const WORDS = 20_000;
const PAGES = 1_000;
/** Both need nothing that is not in Node. */
const ENGINES = ['Orbweaver', 'SQLite FTS5'];

/** Pages whose words are as frequent as in real texts: the nth word has a share of about 1/n. */
function madePages(folder: string): Collection {
  const random = seededRandom(3);
  const word = () =>
    `w${Math.floor(WORDS ** random())
      .toString(26)
      .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)}`;
  const text = (words: number) => Array.from({ length: words }, word).join(' ');
  const path = join(folder, 'pages.jsonl');
  const documents = Array.from({ length: PAGES }, (_, i) => {
    return { id: i + 1, url: `http://site.test/${i}`, title: text(4), text: text(60) };
  });
  writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
  return { name: 'pages', path, documents: PAGES, textBytes: 100_000 };
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'orbweaver-search-bench-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('engines find documents for the chosen queries, and measure each of them', async (t) => {
  const workFolder = folder(t);
  const collection = madePages(workFolder);
  const chosen = chooseQueries(collection, 1);
  const queries = QUERY_KINDS.flatMap((kind) => chosen.filter((query) => query.kind === kind).slice(0, 3));
  const ready = CONTENDERS.filter(({ name }) => ENGINES.includes(name)).map((contender) => ({
    contender,
    version: '',
  }));
  const options = { rounds: 1, budgetMs: 60_000, indexTimeoutMs: 60_000, reusesIndex: false };
  const figures = await measureEngines(ready, collection, queries, { ...options, workFolder, report: () => {} });
  assert.deepEqual(
    figures.map(({ engine, failure }) => [engine, failure]),
    ENGINES.map((name) => [name, null]),
  );
  for (const { index, firstMs, memoryMb, times } of figures) {
    assert.ok(index!.bytes > 0 && index!.cpuSeconds > 0 && firstMs! > 0 && memoryMb! > 10);
    for (const [i, time] of times.entries()) {
      const { kind, words } = queries[i]!;
      assert.ok(time!.hits > 0 || kind === 'not', `${kind}: ${words.join(' ')}`);
      assert.ok(time!.cpuMs > 0 && time!.wallMs > 0);
    }
  }
});

test('queries and made documents depend on the seed and the number only', (t) => {
  const collection = madePages(folder(t));
  assert.deepEqual(chooseQueries(collection, 1), chooseQueries(collection, 1));
  assert.notDeepEqual(chooseQueries(collection, 1), chooseQueries(collection, 2));
  const { text } = new DocumentMaker(collection).make(7);
  assert.equal(new DocumentMaker(collection).make(7).text, text);
  assert.ok(text.length >= 5_000 && text.startsWith('w7x '));
});
