import assert from 'node:assert/strict';
import { test } from 'node:test';
import { imageCode } from '../../src/change/codes/image-code.ts';
import { compareVersions } from '../../src/change/compare-versions.ts';
import { decideChange, hash128, hashesOf } from '../../src/change/version-hashes.ts';
import { randomNumbers } from '../page/random-html.ts';
import { mutatePages, versionOf } from './mutate-pages.ts';
import { type MutablePage, mutablePage } from './page-mutations.ts';

const URL = 'http://site.test/a.png';

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

test('P14 none of 100,000 mutations is missed, each has the right level, and no page differs from itself', () => {
  const { done, byKind, byLevel, missedByCodes } = mutatePages(500, 200);
  assert.equal(done, 100_000);
  for (const [kind, count] of byKind) assert.ok(count > 2_000, `${kind}: ${count}`);
  for (const [level, count] of Object.entries(byLevel)) assert.ok(count > 10_000, `${level}: ${count}`);
  // This shows why the comparison is needed: the codes alone find few of these changes.
  for (const kind of ['letters permuted', 'an attribute', 'tags with the same first and last letter']) {
    assert.ok((missedByCodes.get(kind) ?? 0) > 10, `codes miss ${missedByCodes.get(kind)} of ${kind}`);
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
