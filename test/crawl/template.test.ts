/**
 * E5 Tests that a crawl learns the template of a host: pages that share navigation outside of nav elements are distinct,
 * real near duplicates are found, and the next run knows the template.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Template } from '../../src/content/template/template.ts';
import { Prose } from '../../src/demo/prose.ts';
import { type LocalWeb, reply, startWeb } from '../../testbed/web/local-web.ts';
import { pageOf } from '../content/words-of.ts';
import { addHere, crawlHere } from './crawl-here.ts';
import { assertSound, dataFolder, storedUrls } from './stored-crawl.ts';

const ARTICLES = 40;
/** These pages have nearly the text of the article with the same number. */
const REPRINTS = [3, 11, 27];
const MENU = Array.from({ length: 60 }, (_, i) => `<div>${new Prose(`menu ${i}`).paragraph(1)}</div>`).join('\n');

function page(own: string): string {
  return `<!doctype html><title>t</title><div class="top">${MENU}</div><div>${own}</div><div>${new Prose('foot').paragraph(4)}</div>`;
}

const article = (n: number): string => `<p>${new Prose(`article ${n}`).paragraph(12)}</p>`;
const added = (n: number): string => page(article(1_000 + n));

function serve(web: LocalWeb): void {
  web.on('/robots.txt', reply('', {}, 404));
  const paths: string[] = [];
  for (let n = 0; n < ARTICLES; n++) {
    paths.push(`/articles/${n}`);
    web.on(`/articles/${n}`, reply(page(article(n))));
  }
  for (const n of REPRINTS) {
    paths.push(`/reprints/${n}`);
    web.on(`/reprints/${n}`, reply(page(`${article(n)}<p>Reprinted with permission</p>`)));
  }
  web.on('/', reply(page(paths.map((path) => `<a href="${path}">${path}</a>`).join('\n'))));
  for (let n = 0; n < 3; n++) web.on(`/added/${n}`, reply(added(n)));
}

function storedTemplate(dir: string): Uint8Array {
  const db = new DatabaseSync(join(dir, 'crawl.db'), { readOnly: true });
  try {
    const rows = db.prepare('SELECT counts FROM templates').all() as { counts: Uint8Array }[];
    assert.equal(rows.length, 1);
    return rows[0]!.counts;
  } finally {
    db.close();
  }
}

test('E5 pages that share a heavy menu are distinct, and only real near duplicates are found', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  serve(web);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { units: '2' });
  await assertSound(dir);
  const stored = await storedUrls(dir);
  const near = [...stored.values()].filter(({ nearDuplicateOf }) => nearDuplicateOf !== null);
  const pairs = near.map(({ url, nearDuplicateOf }) => [url, nearDuplicateOf!].sort());
  const expected = REPRINTS.map((n) => [web.url(`/articles/${n}`), web.url(`/reprints/${n}`)]);
  assert.deepEqual(pairs.sort(), expected.sort());

  const template = Template.decode(storedTemplate(dir));
  const words = pageOf(page(article(999)));
  const { marks } = template.judge(web.url('/articles/999'), words);
  const own = [...marks.subarray(0, words.blocks)].filter((mark) => mark === 0).length;
  assert.deepEqual([words.blocks, own], [62, 1], 'everything but the article is template');
});

test('a run that goes on knows the template of the earlier run', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  serve(web);
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { units: '1' });
  const before = storedTemplate(dir);
  await addHere(
    dir,
    [0, 1, 2].map((n) => web.url(`/added/${n}`)),
    { units: '1' },
  );
  const after = storedTemplate(dir);
  assert.notDeepEqual(after, before, 'the run went on learning');
  const stored = await storedUrls(dir);
  for (let n = 0; n < 3; n++) {
    const { state, nearDuplicateOf } = stored.get(web.url(`/added/${n}`))!;
    assert.deepEqual([state, nearDuplicateOf], ['fetched', null]);
  }
  // A template that had started again would know the three pages of this run only.
  const { marks } = Template.decode(after).judge(web.url('/articles/x'), pageOf(added(9)));
  assert.equal(marks[0], 1);
  const counts = Buffer.from(after);
  const most = Math.max(...Array.from({ length: counts.length / 6 }, (_, i) => counts.readUInt16LE(i * 6 + 4)));
  assert.ok(most >= ARTICLES + REPRINTS.length + 3, `${most} pages are counted`);
});
