/** Tests the feed file: its content, that it is always complete, and what happens if it cannot be written. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { atomFeed, xmlText } from '../../../src/crawl/delivery/atom-feed.ts';
import { wordsOf } from '../../../src/crawl/delivery/change-words.ts';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import { EditWindow } from '../../../src/crawl/delivery/edit-window.ts';
import { writeWholeFile } from '../../../src/crawl/delivery/feed-listener.ts';
import { listenersFrom } from '../../../src/crawl/delivery/listeners-from.ts';
import { NO_RULES, readBatch, readNewest } from '../../../src/crawl/delivery/read-batch.ts';
import { parsePage } from '../../../src/page/page.ts';
import type { ChangeEntry } from '../../../src/store/contract.ts';
import { CHANGE_KINDS } from '../../../src/store/contract.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';
import { mountTmpfs } from '../../store/mount-tmpfs.ts';
import { batchOf, COPY, NASTY } from './a-batch.ts';
import { AT_MS, ChangeStore, change } from './change-store.ts';
import { parseStrictXml, type XmlElement } from './strict-xml.ts';

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-feed-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** One run of a crawl with a feed. */
async function run(store: ChangeStore, feed: string, ...entries: readonly ChangeEntry[]) {
  const delivery = await Delivery.open(store, listenersFrom({ feed, feedEntries: 5 }), new ManualClock());
  store.add(...entries);
  return delivery.finish(0);
}

const all = (element: XmlElement, name: string) => element.children.filter((child) => child.name === name);
const one = (element: XmlElement, name: string): XmlElement => {
  const found = all(element, name);
  assert.equal(found.length, 1, `one ${name} in ${element.name}`);
  return found[0]!;
};
const idsIn = (file: string) => all(parseStrictXml(readFileSync(file)), 'entry').map((entry) => one(entry, 'id').text);
const linksIn = (file: string) =>
  parsePage(readFileSync(file), 'application/atom+xml', 'http://a.test/feed', {
    wantText: false,
    maxLinks: 100,
  }).links.map(({ href, text }) => `${href} ${text}`);

const UUID = /^urn:uuid:[\da-f]{8}-[\da-f]{4}-[48][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Checks RFC 4287 §4.1.1 and §4.1.2, as far as they apply to a feed without content elements. */
function checkAtom(bytes: Buffer): XmlElement {
  const feed = parseStrictXml(bytes);
  assert.deepEqual([feed.name, feed.attributes.xmlns], ['feed', 'http://www.w3.org/2005/Atom']);
  const ids = [one(feed, 'id').text];
  assert.match(one(feed, 'updated').text, RFC_3339);
  one(feed, 'title');
  assert.equal(one(one(feed, 'author'), 'name').text, 'Orbweaver');
  for (const entry of all(feed, 'entry')) {
    ids.push(one(entry, 'id').text);
    assert.match(one(entry, 'updated').text, RFC_3339);
    assert.notEqual(one(entry, 'title').text.trim(), '');
    assert.notEqual(one(entry, 'summary').text.trim(), '');
    assert.equal(one(entry, 'link').attributes.rel, 'alternate');
    assert.ok(URL.canParse(one(entry, 'link').attributes.href!));
  }
  for (const id of ids) assert.match(id, UUID);
  assert.equal(new Set(ids).size, ids.length, 'every id once');
  return feed;
}

test('our own feed reader and a strict parser read the newest changes, newest first', async (t) => {
  const file = join(folder(t), 'changes.atom');
  const store = new ChangeStore();
  store.addMany(1, 300);
  const report = await run(store, file, change(301, { kind: 'noise' }), change(302, { kind: 'gone', reason: 'gone' }));
  assert.deepEqual(report.leftovers, []);
  const feed = checkAtom(readFileSync(file));
  assert.equal(one(feed, 'updated').text, '2026-11-15T09:35:02.000Z');
  assert.deepEqual(linksIn(file), [
    'http://a.test/302 Gone: Page 302',
    'http://a.test/300 Changed: Page 300',
    'http://a.test/299 Changed: Page 299',
    'http://a.test/298 Changed: Page 298',
    'http://a.test/297 Changed: Page 297',
  ]);
  const [gone] = all(feed, 'entry');
  assert.equal(one(gone!, 'summary').text, 'The page is gone: the server says 410.');
  assert.equal(one(gone!, 'category').attributes.term, 'gone');
});

test('a change is described in words', async () => {
  const difference = {
    kinds: ['structure', 'text'],
    band: 'medium',
    shared: 0.876,
    wordsAdded: 12,
    wordsRemoved: 3,
    levels: [{ level: 3, before: 1, after: 2 }],
    regions: ['a', 'b', 'c', 'main > p:4'].map((path) => ({ path, kinds: ['text'] })),
    image: null,
  };
  const { changes } = await batchOf([change(1, { change: JSON.stringify(difference) })]);
  const [entry] = all(checkAtom(Buffer.from(atomFeed(COPY, changes))), 'entry');
  assert.equal(
    one(entry!, 'summary').text,
    'The page has changed. What changed: structure, text. Words: 12 added, 3 removed; 87 % of the text is the same. Where: a; b; c and 1 more.',
  );
  assert.deepEqual(changes[0]!.change, difference);
});

test('batches and feeds say whether a changed image looks the same and which pages show it', async () => {
  const store = new ChangeStore();
  const image = {
    codes: { before: '-12', after: '40' },
    looksSame: true,
    width: { before: 640, after: 320 },
    height: { before: 480, after: null },
  };
  store.add(change(1, { change: JSON.stringify({ kinds: ['images'], image }) }), change(2));
  store.links.set(
    1,
    Array.from({ length: 12 }, (_, i) => `http://a.test/shows/${i}`),
  );
  store.links.set(2, ['http://a.test/links']);
  const kinds = new Set(CHANGE_KINDS);
  const { changes } = await readBatch(
    store,
    { kinds, limits: { maxChanges: 10, maxBytes: 1e6, gatherMs: 0 } },
    {
      after: 0,
      until: 0,
      window: new EditWindow(store, { after: 0, through: 2 }),
      rules: NO_RULES,
    },
  );
  assert.deepEqual(changes, [...(await readNewest(store, { kinds }, 10, NO_RULES))].reverse());
  assert.deepEqual(changes[0]!.change?.image, image);
  assert.deepEqual([changes[0]!.shownOn.length, changes[0]!.shownOn[9]], [10, 'http://a.test/shows/9']);
  assert.deepEqual([changes[1]!.change, changes[1]!.shownOn], [null, []]);
  const words = wordsOf(changes[0]!);
  assert.match(words, /What changed: images\. The image looks the same\. Shown on: http:\/\/a\.test\/shows\/0 /);
});

test('every kind of change has a sentence, and a page without a title is named by its URL', async () => {
  const kinds = ['new', 'changed', 'noise', 'moved', 'gone', 'returned', 'orphaned'] as const;
  const { changes } = await batchOf(kinds.map((kind, i) => change(i + 1, { kind, title: ' ' })));
  const entries = all(checkAtom(Buffer.from(atomFeed(COPY, changes))), 'entry');
  assert.equal(new Set(entries.map((entry) => one(entry, 'summary').text)).size, kinds.length);
  assert.equal(one(entries[0]!, 'title').text, 'New: http://a.test/1');
});

test('the feed stays valid and escapes any text of a page', async () => {
  let seed = 20_261_115;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const pieces = [
    '<',
    '>',
    '&',
    '&amp;',
    ']]>',
    '<!--',
    '"',
    "'",
    '\0',
    '\x0b',
    '\x1b',
    '\x85',
    '\ud83d',
    '\udd77',
    '\ufffe',
  ];
  pieces.push('\uffff', '\u{1ffff}', '\u{1f577}', 'é', 'word ', '\n', '\t', '\u202e', '</title>', '<script>', '\ufeff');
  const entries = [change(1, { title: NASTY })];
  for (let seq = 2; seq <= 400; seq++) {
    const text = (): string => Array.from({ length: random(300) }, () => pieces[random(pieces.length)]).join('');
    const regions = [{ path: text(), kinds: [text()] }];
    entries.push(change(seq, { title: text(), change: JSON.stringify({ kinds: [text()], regions }) }));
  }
  const { changes } = await batchOf(entries);
  const bytes = Buffer.from(atomFeed(COPY, changes));
  const feed = checkAtom(bytes);
  assert.equal(all(feed, 'entry').length, entries.length);
  const [first] = all(feed, 'entry');
  assert.match(one(first!, 'title').text, /^Changed: \$\(touch pwned\).* <b>&amp;\]\]> .*🕷$/u);
  const page = parsePage(bytes, 'application/atom+xml', 'http://a.test/feed', { wantText: false, maxLinks: 1_000 });
  assert.deepEqual([page.kind, page.links.length], ['feed', entries.length]);
  assert.ok(page.links[0]!.text.includes('<b>&amp;]]>'));
});

test('another XML parser reads the same feed', async (t) => {
  const { changes } = await batchOf([change(1, { title: NASTY, url: 'http://a.test/?a=1&b="<>\'' })]);
  const script =
    'import sys, xml.etree.ElementTree as e; r = e.parse(sys.stdin.buffer).getroot(); print(r.tag, len(r), r[-1][3].get("href"))';
  const { error, stdout, status } = spawnSync('python3', ['-c', script], {
    input: atomFeed(COPY, changes),
    encoding: 'utf8',
  });
  if (error !== undefined) return t.skip('there is no python3 here');
  assert.deepEqual([status, stdout], [0, '{http://www.w3.org/2005/Atom}feed 6 http://a.test/?a=1&b="<>\'\n']);
});

test('long texts are cut between characters', () => {
  assert.equal(xmlText(`${'x'.repeat(8)}\u{1f577}\u{1f577}`, 10), `${'x'.repeat(8)}…`);
  assert.equal(xmlText('&&&&', 3), '&amp;&amp;…');
  assert.equal(xmlText('&&&&', 4), '&amp;&amp;&amp;&amp;');
});

test('the first run writes a feed without entries, and ids do not change between runs', async (t) => {
  const file = join(folder(t), 'changes.atom');
  const store = new ChangeStore();
  await run(store, file);
  assert.deepEqual(all(checkAtom(readFileSync(file)), 'entry'), []);
  await run(store, file, change(1), change(2));
  const ids = idsIn(file);
  await run(store, file, change(3));
  assert.deepEqual(idsIn(file).slice(1), ids);
  const other = new ChangeStore();
  const elsewhere = join(folder(t), 'changes.atom');
  await run(other, elsewhere, change(1), change(2));
  assert.ok(
    idsIn(elsewhere).every((id) => !ids.includes(id)),
    'another copy has other ids',
  );
});

test('a run without changes does not touch the feed, but repairs a damaged or missing one', async (t) => {
  const file = join(folder(t), 'changes.atom');
  const store = new ChangeStore();
  await run(store, file, change(1));
  const before = statSync(file, { bigint: true });
  await run(store, file);
  const after = statSync(file, { bigint: true });
  assert.deepEqual([after.ino, after.mtimeNs], [before.ino, before.mtimeNs]);
  const text = readFileSync(file, 'utf8');
  rmSync(file);
  await run(store, file);
  assert.equal(readFileSync(file, 'utf8'), text);
  writeFileSync(file, 'damaged');
  await run(store, file);
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('a reader sees the complete old feed or the complete new feed', async (t) => {
  const file = join(folder(t), 'changes.atom');
  const texts = ['a', 'b'].map((letter) => `${letter.repeat(300_000)}\n`);
  await writeWholeFile(file, texts[0]!);
  let isWriting = true;
  const writing = (async () => {
    for (let i = 1; i <= 60; i++) await writeWholeFile(file, texts[i % 2]!);
    isWriting = false;
  })();
  const seen = new Set<string>();
  while (isWriting) seen.add(await readFile(file, 'utf8'));
  await writing;
  assert.ok(seen.size >= 1);
  for (const text of seen) assert.ok(texts.includes(text), `${text.length} characters`);
});

test('a symbolic link to the feed stays a link, and a planted link is not followed', async (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, 'victim'), 'precious');
  symlinkSync(join(dir, 'victim'), join(dir, 'real.atom.part'));
  writeFileSync(join(dir, 'real.atom'), '');
  symlinkSync(join(dir, 'real.atom'), join(dir, 'public.atom'));
  await run(new ChangeStore(), join(dir, 'public.atom'), change(1));
  assert.ok(lstatSync(join(dir, 'public.atom')).isSymbolicLink());
  checkAtom(readFileSync(join(dir, 'real.atom')));
  assert.equal(readFileSync(join(dir, 'victim'), 'utf8'), 'precious');
  assert.deepEqual(readdirSync(dir).toSorted(), ['public.atom', 'real.atom', 'victim']);
});

test('a feed that cannot be written is reported, and its changes wait', async (t) => {
  const dir = folder(t);
  writeFileSync(join(dir, 'file'), '');
  mkdirSync(join(dir, 'folder.atom'));
  for (const [path, why] of [
    ['file/changes.atom', /the folder of .* does not exist/],
    ['nowhere/changes.atom', /the folder of .* does not exist/],
    ['folder.atom', /is a folder/],
  ] as const) {
    const store = new ChangeStore();
    const { leftovers } = await run(store, join(dir, path), change(1), change(2));
    assert.equal(leftovers.length, 1);
    assert.match(leftovers[0]!, /^feed: 2 changes were not delivered/);
    assert.match(leftovers[0]!, why);
  }
  assert.deepEqual(readdirSync(dir).toSorted(), ['file', 'folder.atom'], 'nothing is left behind');
});

test('a full disk leaves the old feed complete, and the next run continues', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-feed-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const mount = mountTmpfs(dir, 'size=64k');
  if (typeof mount === 'string') return t.skip(mount);
  try {
    const file = join(dir, 'changes.atom');
    const store = new ChangeStore();
    await run(store, file, change(1));
    const before = readFileSync(file);
    writeFileSync(join(dir, 'ballast'), Buffer.alloc(56_000));
    const long = { url: `http://a.test/${'x'.repeat(20_000)}` };
    const { leftovers } = await run(store, file, change(2, long), change(3, long));
    assert.match(leftovers[0]!, /^feed: 2 changes were not delivered: the disk is full/);
    assert.deepEqual(readFileSync(file), before);
    assert.ok(!existsSync(`${file}.part`));
    rmSync(join(dir, 'ballast'));
    assert.deepEqual((await run(store, file)).leftovers, []);
    assert.equal(all(checkAtom(readFileSync(file)), 'entry').length, 3);
  } finally {
    mount.unmount();
  }
});

test('a year with more than four digits does not break the feed', async () => {
  const times = [Number.NaN, -1, 9e15, Number.POSITIVE_INFINITY, AT_MS];
  const { changes } = await batchOf(times.map((atMs, i) => change(i + 1, { atMs })));
  checkAtom(Buffer.from(atomFeed({ ...COPY, sinceMs: Number.NaN }, changes)));
  checkAtom(Buffer.from(atomFeed({ ...COPY, sinceMs: 9e15 }, [])));
});
