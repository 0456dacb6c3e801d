import assert from 'node:assert/strict';
import { test } from 'node:test';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { type JudgedLinks, LinkJudge } from '../../../src/crawl/links/link-judge.ts';
import { linksParsed } from '../../../src/crawl/links/links-wanted.ts';
import { decodeAttributes } from '../../../src/graph/link-attributes.ts';
import { attributeCodeOf, targetOf } from '../../../src/graph/link-list.ts';
import { classesWanted, parsePage } from '../../../src/page/page.ts';
import type { ClaimedUrl, ParameterLesson, ParameterVerdict } from '../../../src/store/contract.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import { isSpotChecked } from '../../../src/url/query-parameters.ts';
import { isGuess } from '../../../src/url/traps/sitemap-chain.ts';

const SITE = 'http://a.test';

function judgeWith(given: Record<string, unknown> = {}): LinkJudge {
  return new LinkJudge(resolveOptions([{ from: 'test', given }]), [`${SITE}/`]);
}

function linksOf(judge: LinkJudge, path: string, depth: number, ...hrefs: string[]): JudgedLinks {
  return linksIn(judge, path, depth, hrefs.map((href) => `<a href="${href}">x</a>`).join(''));
}

function linksIn(judge: LinkJudge, path: string, depth: number, html: string): JudgedLinks {
  const options = { wantText: false, wantAnchors: false, maxLinks: 1_000 };
  const page = parsePage(Buffer.from(html), 'text/html; charset=utf-8', SITE + path, options);
  return judge.linksOf(page, SITE + path, depth);
}

/** A URL that was handed out. */
function taskOf(url: string, depth: number): ClaimedUrl {
  return { id: 1, url, depth, hops: 0, failures: 0, relevance: 0.4, inherited: 0.2, stepsOff: 1 };
}

const knownIds = ({ knownLinks }: JudgedLinks) => knownLinks.map(targetOf);
const urlsOf = ({ foundLinks }: JudgedLinks) => foundLinks.map(({ url }) => url);

test('a new link is reported once, and every page that has it refers to it until its id is known', () => {
  const judge = judgeWith();
  const first = linksOf(judge, '/', 0, '/x', '/y', '/x');
  assert.deepEqual(urlsOf(first), [`${SITE}/x`, `${SITE}/y`]);
  const second = linksOf(judge, '/2', 1, 'y', '/z');
  assert.equal(
    second.foundLinks[0],
    first.foundLinks[1],
    'the same object, which crosses threads and is looked up once',
  );
  judge.learn(first.foundLinks, [11, 12]);
  const third = linksOf(judge, '/3', 1, '/x', '/y', `${SITE}/z`);
  assert.deepEqual(knownIds(third), [11, 12]);
  assert.deepEqual(third.foundLinks, [second.foundLinks[1]]);
  judge.learn(second.foundLinks, [12, 13]);
  assert.deepEqual(knownIds(linksOf(judge, '/4', 1, '/z', '/y')), [13, 12]);
});

test('a guess that the store has is not reported again, but a link to the same URL is', () => {
  const judge = judgeWith({ guess: true });
  const options = {
    wantText: false,
    wantAnchors: false,
    maxLinks: 9,
    classes: classesWanted({ assets: false, guess: true }),
  };
  const linksOfPage = (path: string, html: string, headers: string[] = []) => {
    const page = parsePage(Buffer.from(html), 'text/html; charset=utf-8', SITE + path, options, headers);
    return judge.linksOf(page, SITE + path, 0);
  };
  const first = linksOfPage('/', '<script>go("/said")</script>');
  judge.learn(first.foundLinks, [5]);
  for (const path of ['/2', '/3']) {
    const again = linksOfPage(path, '<script>go("/said")</script>');
    assert.deepEqual([urlsOf(again), knownIds(again)], [[], [5]]);
  }
  for (const headers of [[], ['X-Pingback', '/said']]) {
    const linked = linksOfPage('/4', '<script>go("/said")</script><a href="/said">x</a>', headers);
    assert.deepEqual([urlsOf(linked), knownIds(linked)], [[`${SITE}/said`], []]);
    assert.ok(!isGuess(linked.foundLinks[0]!.hops));
    if (headers.length > 0) judge.learn(linked.foundLinks, [5]);
  }
  assert.deepEqual(knownIds(linksOf(judge, '/5', 0, '/said')), [5]);
});

test('E4 a link that was too deep is reported again when it is found nearer, and never counts as known', () => {
  const judge = judgeWith({ depth: 2 });
  const [deep] = linksOf(judge, '/deep', 2, '/x').foundLinks;
  assert.equal(deep?.skip, 'too-deep');
  const [near] = linksOf(judge, '/near', 0, '/x').foundLinks;
  assert.equal(near?.skip, null);
  assert.equal(near?.depth, 1);
  judge.learn([deep!], [7]);
  assert.deepEqual(linksOf(judge, '/other', 1, '/x').foundLinks, [near], 'the nearer one is on its way');
  judge.learn([near!], [7]);
  assert.deepEqual(knownIds(linksOf(judge, '/other', 1, '/x')), [7]);
});

test('links out of scope are judged again when a seed has moved', () => {
  const judge = judgeWith({ scope: 'host' });
  assert.deepEqual(urlsOf(linksOf(judge, '/', 0, 'http://b.test/x')), []);
  judge.addSeed('http://b.test/');
  assert.deepEqual(urlsOf(linksOf(judge, '/', 0, 'http://b.test/x')), ['http://b.test/x']);
});

v8.setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('cached links do not keep the text of their pages in memory', () => {
  const judge = judgeWith();
  const padding = 'x'.repeat(1_000_000);
  collect();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: 40 }, (_, i) =>
    linksIn(judge, '/', 0, `<p>${padding}<a href="${SITE}/long-enough-${i}">`),
  );
  collect();
  const keptBytes = process.memoryUsage().heapUsed - before;
  assert.deepEqual(urlsOf(kept[39]!), [`${SITE}/long-enough-39`]);
  assert.ok(keptBytes < 20_000_000, `${keptBytes} bytes are kept`);
});

const lesson = (name: string, verdict: ParameterVerdict): ParameterLesson => ({
  host: SITE,
  space: '/item/*',
  name,
  verdict,
  pairs: 8,
  pages: 3,
  audits: 0,
  contradictedBy: null,
});

/** Returns a URL that belongs to the sample that is fetched anyway, or one that does not. */
function itemUrl(isOfSample: boolean, query: (value: string) => string): string {
  const urls = Array.from({ length: 500 }, (_, i) => `${SITE}/item/1?${query(`v${i}`)}`);
  return urls.find((url) => isSpotChecked(urlKeyHex(url)) === isOfSample)!;
}

test('a link with an ignored parameter is reported as skipped, after its stand-in', () => {
  const judge = judgeWith();
  judge.learnParameter(lesson('ref', 'ignored'));
  const leftOut = itemUrl(false, (value) => `ref=${value}&id=1`);
  const audited = itemUrl(true, (value) => `ref=${value}&id=1`);
  const told = (links: JudgedLinks) => links.foundLinks.map(({ url, skip }) => [url, skip]);
  const standIn = `${SITE}/item/1?id=1`;
  assert.deepEqual(told(linksOf(judge, '/', 0, leftOut)), [
    [standIn, null],
    [leftOut, 'ignored-parameter'],
  ]);
  assert.deepEqual(told(linksOf(judge, '/2', 0, audited)), [
    [standIn, null],
    [audited, null],
  ]);
  judge.learnParameter(lesson('ref', 'matters'));
  const other = itemUrl(false, (value) => `ref=${value}&id=2`);
  assert.deepEqual(told(linksOf(judge, '/3', 0, other)), [[other, null]]);
});

test('a stand-in is never out of scope, and never makes a link that is too deep acceptable', () => {
  const judge = judgeWith({ exclude: ['*/item/1'], depth: 2 });
  judge.learnParameter(lesson('ref', 'ignored'));
  const url = itemUrl(false, (value) => `ref=${value}`);
  assert.deepEqual(
    linksOf(judge, '/', 0, url).foundLinks.map(({ skip }) => skip),
    [null],
  );
  assert.equal(judge.variantOf(taskOf(url, 1)), null);
  const deep = itemUrl(false, (value) => `ref=${value}&id=1`);
  assert.deepEqual(
    linksOf(judge, '/deep', 2, deep).foundLinks.map(({ url: link, skip }) => [link, skip]),
    [[deep, 'too-deep']],
  );
});

test('a few pages of a parameter that may be ignored are tried without it', () => {
  const judge = judgeWith();
  judge.learnParameter(lesson('ref', 'probed'));
  const variants = Array.from({ length: 20 }, (_, i) => judge.variantOf(taskOf(`${SITE}/item/${i}?ref=1`, 1)));
  assert.deepEqual(
    variants.map((variant) => variant?.standIn.url ?? null),
    Array.from({ length: 20 }, (_, i) => (i < 8 ? `${SITE}/item/${i}` : null)),
  );
  assert.ok(variants.every((variant) => variant === null || !variant.isLeftOut));
  assert.equal(judge.variantOf(taskOf(`${SITE}/other/1?ref=1`, 1)), null);
});

test('E6 of several links from a page to a URL, the strongest counts, whether the URL is new or known', () => {
  const judge = judgeWith();
  const html = '<a href="/x">x</a> <b><i><a href="/x">x</a></i></b> <a href="/y">y</a>';
  const first = linksIn(judge, '/', 0, html);
  const strong = first.foundAttributes.map((code) => decodeAttributes(code).visibility);
  assert.deepEqual([urlsOf(first).length, ...strong], [2, 3, 1]);
  judge.learn(first.foundLinks, [5, 6]);
  const again = linksIn(judge, '/2', 0, html);
  assert.deepEqual(
    again.knownLinks.map((value) => [targetOf(value), decodeAttributes(attributeCodeOf(value)).visibility]),
    [
      [5, 3],
      [6, 1],
    ],
  );
});

test('a stand-in has the trail of its variant', () => {
  const judge = judgeWith();
  judge.learnParameter(lesson('ref', 'ignored'));
  const url = itemUrl(false, (value) => `ref=${value}`);
  const { standIn } = judge.variantOf(taskOf(url, 1))!;
  assert.deepEqual([standIn.relevance, standIn.trail], [0.4, { inherited: 0.2, stepsOff: 1 }]);
});

test('a stand-in that was off topic is reported again for a more promising variant', () => {
  const judge = judgeWith();
  judge.learnParameter(lesson('ref', 'ignored'));
  const focus = {
    relevance: 0,
    promiseOf: (_: unknown, url: string) => {
      const isPoor = !url.includes('ref=');
      const relevance = isPoor ? 0.1 : 0.9;
      return { relevance, trail: { inherited: 0, stepsOff: 3 }, isCut: isPoor, isHigh: !isPoor };
    },
  };
  const url = itemUrl(false, (value) => `ref=${value}`);
  const html = `<a href="/item/1">poor</a> <a href="${url}">good</a>`;
  const page = parsePage(Buffer.from(html), 'text/html', `${SITE}/`, { wantText: false, maxLinks: 10 });
  const { foundLinks } = judge.linksOf(page, `${SITE}/`, 0, focus);
  const standIns = foundLinks.filter((link) => link.url === `${SITE}/item/1`).map(({ skip }) => skip);
  assert.deepEqual(standIns, ['off-topic', null]);
});

test('a URL that was found under former rules is left out by the new ones, except a sitemap of robots.txt', () => {
  const judge = judgeWith({ scope: 'host', exclude: ['*/closed/*'], depth: 2 });
  for (const [url, depth, expected] of [
    [`${SITE}/open`, 2, null],
    [`${SITE}/open`, 3, 'too-deep'],
    [`${SITE}/closed/1`, 1, 'excluded'],
    [`${SITE}/closed/1`, 0, 'excluded'],
    ['http://b.test/', 1, 'out-of-scope'],
    ['http://b.test/sitemap.xml', 0, null],
  ] as const) {
    assert.equal(judge.leavesOut({ url, depth, hops: 0 }), expected, `${url} ${depth}`);
  }
  for (const given of [{ assets: true }, { images: true }]) {
    const parts = judgeWith({ depth: 2, ...given });
    assert.equal(
      parts.leavesOut({ url: `${SITE}/style`, depth: 3, hops: 0 }),
      null,
      'it may be a part of a page at the limit',
    );
    assert.equal(parts.leavesOut({ url: `${SITE}/style`, depth: 23, hops: 0 }), 'too-deep');
  }
});

test('with a login, forms are not sent and pings are not followed, unless actions are', () => {
  const html = `<form action="/sent"><button>Delete</button></form> <a href="/x" ping="/ping">x</a>
    <form action="/posted" method="post"><button>Log out</button></form>`;
  const found = (given: Record<string, unknown>) => {
    const page = parsePage(Buffer.from(html), 'text/html', `${SITE}/`, {
      ...linksParsed(resolveOptions([{ from: 'test', given: { guess: true } }])),
      wantText: false,
    });
    return urlsOf(judgeWith({ guess: true, ...given }).linksOf(page, `${SITE}/`, 0)).sort();
  };
  const all = ['/ping', '/posted', '/sent', '/x'].map((path) => SITE + path);
  assert.deepEqual(found({}), all);
  assert.deepEqual(found({ cookies: true }), [`${SITE}/x`]);
  assert.deepEqual(found({ cookies: true, followActions: true }), all);
});

test('a link that was left out for its label or its depth is judged again where the reason does not hold', () => {
  const judge = judgeWith({ cookies: true, depth: 1, assets: true });
  const skips = (path: string, depth: number, html: string) => {
    const options = {
      wantText: false,
      wantAnchors: true,
      maxLinks: 10,
      classes: classesWanted({ assets: true, guess: false }),
    };
    const page = parsePage(Buffer.from(html), 'text/html', SITE + path, options);
    return judge.linksOf(page, SITE + path, depth).foundLinks.map(({ skip }) => skip);
  };
  assert.deepEqual(skips('/1', 0, '<a href="/x?k=1">Delete</a>'), ['action-link']);
  assert.deepEqual(skips('/2', 0, '<a href="/x?k=1">Catalogue</a>'), [null]);
  assert.deepEqual(skips('/3', 0, '<a href="/x?k=1">Delete</a>'), [null], 'the better find is on its way');
  assert.deepEqual(skips('/4', 1, '<a href="/big.png">Photo</a>'), ['too-deep']);
  assert.deepEqual(skips('/5', 1, '<img src="/big.png">'), [null]);
});
