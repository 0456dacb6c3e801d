/** Tests that a template survives the store, stays small, and is not harmed by hostile pages and damaged bytes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountTable } from '../../../src/content/template/count-table.ts';
import { Template } from '../../../src/content/template/template.ts';
import type { PageWords } from '../../../src/core/page/page-words.ts';
import { randomNumbers } from '../../change/random-text.ts';
import { Host } from './learned-host.ts';

const MENU = ['Home page of the example', 'All the departments and their staff'];

/** A page whose blocks have one word each. */
function pageOfWords(words: Uint32Array): PageWords {
  const { length } = words;
  const ends = Uint32Array.from(words, (_, i) => i + 1);
  const textWords = new Uint32Array(length).fill(1);
  return {
    words,
    count: length,
    ends,
    hashes: words,
    textWords,
    linked: new Uint8Array(length),
    blocks: length,
    isCut: false,
  };
}

function randomWords(random: () => number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, () => Math.floor(random() * 2 ** 31) * 2);
}

test('a stored template gives the same marks and goes on learning', () => {
  const random = randomNumbers(3);
  const first = new Host(random);
  for (let n = 1; n <= 50; n++) first.learn(`/shop/items/${n}`, [...MENU, first.prose(8)]);
  const second = new Host(random, Template.decode(first.template.encode()));
  for (let n = 51; n <= 80; n++) {
    const blocks = [...MENU, first.prose(8), 'A line that pages have from now on'];
    assert.deepEqual(second.judge(`/shop/items/${n}`, blocks), first.judge(`/shop/items/${n}`, blocks));
    const learned = first.learn(`/shop/items/${n}`, blocks);
    assert.deepEqual(second.learn(`/shop/items/${n}`, blocks), learned);
    // The new line is template with 3 + 0.3 × pages.
    assert.equal(learned.template.length, n - 50 < 3 + 0.3 * n ? 2 : 3, `page ${n}`);
  }
});

test('the counts are stored when the pages have doubled, after 1,024 pages, and when a host has no more pages', () => {
  const host = new Host();
  const stored: number[] = [];
  assert.equal(host.template.takeNews(true), null);
  for (let n = 1; n <= 5_000; n++) {
    host.learn(`/${n}`, MENU);
    if (host.template.takeNews(false)) stored.push(n);
  }
  assert.deepEqual(stored, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048, 3_072, 4_096]);
  const last = host.template.takeNews(true);
  assert.ok(last !== null && last.length > 0);
  assert.equal(host.template.takeNews(true), null, 'nothing new');
  const again = Template.decode(last);
  assert.equal(again.takeNews(true), null, 'what was loaded is no news');
});

test('a menu of a few pages is still known on a large host after its counts were stored', () => {
  const host = new Host();
  const links = ['<a href="/a">The first topic</a>', '<a href="/b">The second topic</a>'];
  for (let n = 1; n <= 3_000; n++) host.learn(`/pages/${n}`, [...MENU, ...(n <= 5 ? links : []), host.prose(8)]);
  const again = new Host(undefined, Template.decode(host.template.encode()));
  assert.deepEqual(again.judge('/pages/3', [...MENU, ...links, host.prose(8)]).template, [...MENU, ...links]);
});

test('units that share a host join what they have learned, also if both began with the same stored counts', () => {
  const random = randomNumbers(5);
  const [news, shop] = ['A notice of all news of this site', 'A notice of all products of this site'];
  const begin = new Host(random);
  for (let n = 1; n <= 10; n++) begin.learn(`/${n}`, [...MENU, begin.prose(8)]);
  const stored = begin.template.encode();
  const [one, other] = [new Host(random, Template.decode(stored)), new Host(random, Template.decode(stored))];
  for (let n = 1; n <= 30; n++) {
    one.learn(`/news/${n}.html`, [...MENU, one.prose(8), news]);
    other.learn(`/shop/${n}.html`, [...MENU, other.prose(8), shop]);
  }
  const joined = Template.join(Template.join(stored, one.template.encode()), other.template.encode());
  const all = new Host(random, Template.decode(joined));
  for (const [path, notice] of [
    ['/news/7.html', news],
    ['/shop/7.html', shop],
  ] as const) {
    assert.deepEqual(all.judge(path, [...MENU, all.prose(8), notice]).template, [...MENU, notice]);
  }
  assert.deepEqual(
    Template.join(joined, one.template.encode()),
    joined,
    'joining the same counts again changes nothing',
  );
});

test('damaged stored bytes do no harm', () => {
  const random = randomNumbers(9);
  const host = new Host(random);
  for (let n = 1; n <= 40; n++) host.learn(`/${n}`, [...MENU, host.prose(8)]);
  const bytes = host.template.encode();
  const damaged = [
    new Uint8Array(0),
    bytes.subarray(0, bytes.length - 4),
    Uint8Array.from(bytes, () => Math.floor(random() * 256)),
    new Uint8Array(600_000).fill(0xff),
    Uint8Array.from({ length: 2_000_000 }, () => Math.floor(random() * 256)),
  ];
  for (const [i, stored] of damaged.entries()) {
    const other = new Host(random, Template.decode(stored));
    const start = process.cpuUsage().user;
    for (let n = 1; n <= 20; n++) other.learn(`/${n}`, [...MENU, other.prose(8)]);
    const { template } = other.learn('/last', [...MENU, other.prose(8)]);
    assert.ok(template.length <= 2, `${i}: own content is never template`);
    assert.ok(process.cpuUsage().user - start < 2_000_000, `${i}: slow`);
  }
});

test('the memory of a template is bounded: 20,000 pages of blocks that no other page has', () => {
  const random = randomNumbers(17);
  const template = new Template();
  const menu = randomWords(random, 3);
  let learned = 0;
  for (let n = 1; n <= 20_000; n++) {
    const { marks } = template.learn(
      `http://a.test/${n}`,
      pageOfWords(Uint32Array.of(...menu, ...randomWords(random, 30))),
    );
    if (marks[0] === 1 && marks[2] === 1) learned++;
    if (n > 100) assert.equal(marks.subarray(3, 33).indexOf(1), -1, `own content of page ${n} is template`);
  }
  assert.equal(learned, 19_999, 'dropping rare blocks does not drop the menu');
  assert.ok(template.encode().length < 1_000, 'blocks of one page are not stored');
});

test('a table never has more slots than it may, and a key counts once per page', () => {
  const random = randomNumbers(19);
  const table = new CountTable(1_024);
  for (let page = 0; page < 200; page++) {
    table.nextPage();
    for (const key of randomWords(random, 300)) table.add(key, 1);
    for (let i = 0; i < 3; i++) assert.equal(table.add(77, 1), page + 1);
    assert.ok(table.size <= 1_024);
  }
  assert.equal(table.countOf(77), 200);
});

test('of more keys than may be stored, those with the highest counts are stored', () => {
  const table = new CountTable(1_024);
  for (let page = 1; page <= 5; page++) {
    table.nextPage();
    for (let key = 1; key <= page * 100; key++) table.add(key, 1);
  }
  const stored = CountTable.decode(table.encode(1, 250), 1_024);
  assert.equal(stored.size, 250);
  for (let key = 1; key <= 200; key++) assert.equal(stored.countOf(key), table.countOf(key));
  assert.equal(CountTable.decode(table.encode(3, 1_000), 1_024).size, 300, 'rarer keys are not stored');
});

test('a page with 300,000 blocks is judged as a whole, and the next pages as well', () => {
  const random = randomNumbers(23);
  const template = new Template();
  const menu = randomWords(random, 20);
  for (let n = 1; n <= 5; n++) template.learn(`http://a.test/${n}`, pageOfWords(menu));
  const huge = randomWords(random, 300_000);
  huge.set(menu, 299_000);
  const start = process.cpuUsage().user;
  const { marks } = template.learn('http://a.test/huge', pageOfWords(huge));
  assert.ok(process.cpuUsage().user - start < 2_000_000);
  assert.deepEqual([...marks.subarray(299_000, 299_020)], [...menu.fill(1)]);
  assert.equal(marks.subarray(0, 299_000).indexOf(1), -1);
  template.learn('http://a.test/huge-again', pageOfWords(huge));
  assert.ok(template.encode().length <= 16_384 * 6);
});

test('pages of a thousand blocks are learned from the first page on', () => {
  const random = randomNumbers(29);
  const template = new Template();
  const menu = randomWords(random, 1_000);
  const { newWords } = template.learn('http://a.test/1', pageOfWords(menu));
  assert.equal(newWords, 1_000);
  const { marks } = template.learn('http://a.test/2', pageOfWords(Uint32Array.of(...menu, ...randomWords(random, 50))));
  assert.deepEqual([...marks.subarray(0, 1_050)].indexOf(0), 1_000);
});

test('old pages count less than new ones, also if the counts are stored and loaded again and again', () => {
  const random = randomNumbers(31);
  let template = new Template();
  const [old, young] = [randomWords(random, 3), randomWords(random, 3)];
  let n = 0;
  for (let run = 0; run < 40; run++) {
    for (let page = 0; page < 2_000; page++) template.learn(`http://a.test/${n++}`, pageOfWords(old));
    template = Template.decode(template.encode());
  }
  let needed = 0;
  while (needed < 10_000 && template.learn(`http://a.test/${n++}`, pageOfWords(young)).marks[0] === 0) needed++;
  assert.ok(needed < 8_192, `${needed} pages of a redesign were needed`);
});
