import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageCode } from '../../src/change/codes/image-code.ts';
import { codesOf, compareCodes } from '../../src/change/codes/page-codes.ts';
import { compareVersions } from '../../src/change/compare-versions.ts';
import { decideChange, hash128, hashesOf } from '../../src/change/version-hashes.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';
import { randomNumbers } from '../page/random-html.ts';
import { MUTATIONS, type MutablePage, mutablePage } from './page-mutations.ts';

const TYPE = 'text/html; charset=utf-8';
const PAGES = 500;
const MUTATIONS_A_PAGE = 2_000;
/** One of this many mutations also goes through the whole comparison and the codes. */
const SAMPLE = 50;
const URL = 'http://site.test/a.png';

function versionOf(html: string, images?: ReadonlyMap<string, string>) {
  const bytes = Buffer.from(html);
  return { bytes, outline: outlinePage(bytes, TYPE), ...(images === undefined ? {} : { images }) };
}

/** A picture of two tones, and the same picture with one pixel that is lighter or darker but keeps its tone. */
function* redrawnImages(random: () => number): Generator<[before: Uint8Array, after: Uint8Array]> {
  for (;;) {
    const before = Uint8Array.from({ length: 256 }, (_, at) => ((at * 7 + (at >> 4)) % 3 === 0 ? 220 : 30));
    const after = before.slice();
    const at = Math.floor(random() * 256);
    after[at] = (after[at] as number) + 1 + Math.floor(random() * 20);
    yield [before, after];
  }
}

test('P14 none of 1,000,000 mutations is missed, and no page differs from itself', () => {
  const random = randomNumbers(14);
  const kinds = Object.entries(MUTATIONS);
  const counts = new Map<string, number>();
  const missedByCodes = new Map<string, number>();
  let done = 0;
  for (let page = 0; page < PAGES; page++) {
    const base = mutablePage(random);
    const before = versionOf(base.html);
    const beforeHashes = hashesOf(before);
    const beforeCodes = codesOf(before.outline!);
    assert.equal(decideChange(beforeHashes, hashesOf(versionOf(base.html))), 'identical');
    assert.equal(compareVersions(before, versionOf(base.html)).verdict, 'identical');
    for (let round = 0; round < MUTATIONS_A_PAGE; ) {
      const [kind, mutate] = kinds[Math.floor(random() * kinds.length)]!;
      const html = mutate(base, random);
      if (html === null) continue;
      round++;
      done++;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const after = versionOf(html);
      assert.equal(decideChange(beforeHashes, hashesOf(after)), 'changed', `${kind}:\n${base.html}\n${html}`);
      if (done % SAMPLE !== 0) continue;
      const change = compareVersions(before, after);
      assert.equal(change.verdict, 'changed');
      assert.ok(change.kinds.length > 0 && change.regions.length > 0, `${kind}:\n${base.html}\n${html}`);
      if (compareCodes(beforeCodes, codesOf(after.outline!)).differs === null) {
        missedByCodes.set(kind, (missedByCodes.get(kind) ?? 0) + 1);
      }
    }
  }
  assert.equal(done, 1_000_000);
  for (const [kind] of kinds) assert.ok((counts.get(kind) ?? 0) > 20_000, `${kind}: ${counts.get(kind)}`);
  // This shows why the comparison is needed: the codes alone find few of these changes.
  for (const kind of ['letters permuted', 'an attribute', 'tags with the same first and last letter']) {
    assert.ok((missedByCodes.get(kind) ?? 0) > 100, `codes miss ${missedByCodes.get(kind)} of ${kind}`);
  }
});

test('P14 an image with equal code and other bytes is never missed', () => {
  const random = randomNumbers(15);
  const page: MutablePage = mutablePage(random);
  let seen = 0;
  for (const [before, after] of redrawnImages(random)) {
    const [was, is] = [before, after].map((pixels) =>
      versionOf(page.html, new Map([[URL, hash128(Buffer.from(pixels))]])),
    );
    assert.equal(imageCode(after, 16), imageCode(before, 16));
    assert.equal(decideChange(hashesOf(was!), hashesOf(is!)), 'changed');
    const { verdict, kinds, band, regions } = compareVersions(was!, is!);
    assert.deepEqual([verdict, kinds, band, regions[0]?.path], ['changed', ['images'], 'none', 'main > img']);
    if (++seen === 2_000) break;
  }
});

test('P14 a difference that no reader can see is noise and never a change', () => {
  const random = randomNumbers(16);
  for (let round = 0; round < 2_000; round++) {
    const { html } = mutablePage(random);
    for (const after of [
      html.replaceAll('\n', '\r\n').replace('>', '\n>'),
      html.replace('<main>', '<MAIN >'),
      html.replace('<main>', '<main><!-- rendered in 12 ms -->'),
      html.replace(/"([a-z]+)"/, "'$1'"),
    ]) {
      if (after === html) continue;
      const change = compareVersions(versionOf(html), versionOf(after));
      assert.deepEqual([change.verdict, change.kinds, change.band], ['noise', ['other'], 'no-text'], after);
      assert.equal(decideChange(hashesOf(versionOf(html)), hashesOf(versionOf(after))), 'noise');
    }
  }
});
