import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLASS_OF_KIND, classesWanted, LINK_KINDS, parsePage } from '../../../src/page/page.ts';
import { ATTRIBUTE_ROWS, OTHER_ROWS } from '../../../src/page/references/reference-table.ts';
import { REQUESTED } from './browser-requests.ts';
import { ready, SAMPLES, type Sample } from './samples.ts';

const ALL = classesWanted({ assets: true, guess: true });

function linksOf(sample: Sample, assets = true, guess = true) {
  const { body, headers } = ready(sample);
  const classes = classesWanted({ assets, guess });
  const options = { wantText: false, wantAnchors: false, maxLinks: 1_000, classes };
  return parsePage(Buffer.from(body), sample.type ?? 'text/html; charset=utf-8', 'http://site.test/', options, headers)
    .links;
}

test('every row of the table has a test page, and every kind has a row', () => {
  const rows = [
    ...ATTRIBUTE_ROWS.flatMap(({ on, attributes }) =>
      on.split(' ').flatMap((name) => attributes.split(' ').map((attribute) => `${name} ${attribute}`)),
    ),
    ...OTHER_ROWS.map(({ name }) => name),
  ];
  const tested = new Set(SAMPLES.map(({ row }) => row));
  assert.deepEqual(
    rows.filter((row) => !tested.has(row)),
    [],
  );
  const kinds = new Set([...ATTRIBUTE_ROWS, ...OTHER_ROWS].map(({ kind }) => kind));
  assert.deepEqual(
    LINK_KINDS.filter((kind) => !kinds.has(kind)),
    [],
  );
});

test('the references of every row are found, with their kind', () => {
  for (const sample of SAMPLES) {
    const links = linksOf(sample).filter(({ kind }) => kind === sample.kind);
    assert.deepEqual(
      links.map(({ href }) => href),
      ready(sample).finds,
      `${sample.row}: ${ready(sample).body}`,
    );
  }
});

test('each class is found only if it is wanted', () => {
  for (const sample of SAMPLES) {
    const { finds } = ready(sample);
    const wanted = CLASS_OF_KIND[sample.kind];
    for (const assets of [false, true]) {
      for (const guess of [false, true]) {
        const links = linksOf(sample, assets, guess);
        const isFollowed = classesWanted({ assets, guess }).has(wanted);
        const found = links.filter(({ kind }) => kind === sample.kind).map(({ href }) => href);
        assert.deepEqual(found, isFollowed ? finds : [], `${sample.row} ${assets} ${guess}`);
        assert.ok(links.every(({ kind }) => classesWanted({ assets, guess }).has(CLASS_OF_KIND[kind])));
      }
    }
  }
});

test('what Chromium requests is never missed, and is a guess only if a running script computed it', () => {
  for (const [index, sample] of SAMPLES.entries()) {
    const found = new Map(linksOf(sample).map(({ href, kind }) => [new URL(href, 'http://site.test/').pathname, kind]));
    for (const path of REQUESTED[`${sample.row}/${ordinalOf(index)}`] ?? []) {
      const kind = found.get(path);
      assert.ok(
        kind !== undefined && (CLASS_OF_KIND[kind] !== 'guess' || kind === 'string'),
        `${sample.row}: ${path} is ${kind}`,
      );
    }
  }
});

/** Which of the samples of its row a sample is, from 0. */
function ordinalOf(index: number): number {
  return SAMPLES.slice(0, index).filter(({ row }) => row === SAMPLES[index]!.row).length;
}

test('a page without a wish for assets is read once, and gives documents', () => {
  const html = '<a href=a><img src=b><link rel=stylesheet href=c><link rel=next href=d><script src=e></script>';
  const options = {
    wantText: false,
    wantAnchors: false,
    maxLinks: 10,
    classes: classesWanted({ assets: false, guess: false }),
  };
  const { links } = parsePage(Buffer.from(html), 'text/html', 'http://site.test/', options);
  assert.deepEqual(
    links.map(({ href }) => href),
    ['a', 'd'],
  );
  assert.ok(ALL.size === 3);
});

test('headers that name only guesses are not even read without a wish for guesses', () => {
  const headers = ['Content-Encoding', 'gzip', 'LINK', '<a>; rel=next', 'Content-Security-Policy', 'report-uri /b'];
  Object.defineProperty(headers, 5, { get: () => assert.fail('the policy was read') });
  const options = { wantText: false, wantAnchors: false, maxLinks: 10 };
  for (const assets of [false, true]) {
    const classes = classesWanted({ assets, guess: false });
    const { links } = parsePage(
      Buffer.from('<p>x'),
      'text/html',
      'http://site.test/',
      { ...options, classes },
      headers,
    );
    assert.deepEqual(
      links.map(({ kind }) => kind),
      ['pagination'],
    );
  }
});
