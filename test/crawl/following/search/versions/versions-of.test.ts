/** Which versions a page has, and which of them a search shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionsOf } from '../../../../../src/crawl/following/search/versions/versions-of.ts';
import { leaveOutCopies } from '../../../../../src/search/versions/leave-out-copies.ts';
import { type FoundVersion, STILL_CURRENT } from '../../../../../src/search/versions/version-table.ts';
import type { CaptureRecord } from '../../../../../src/store/contract.ts';

/** Captures as `<status> <payload>`, the oldest first; they are a second apart. */
function captures(...answers: readonly string[]): CaptureRecord[] {
  const place = { contentType: 'text/html', file: 'a.warc.gz', offset: 0, length: 1, revisit: false };
  const all = answers.map((answer, i): CaptureRecord => {
    const [status = '', payloadDigest = '', damage] = answer.split(' ');
    const found = damage === undefined ? {} : { damage: { problem: damage, foundAtMs: 0 } };
    return { fetchedAtMs: 1_000 * i, status: Number(status), payloadDigest, ...place, ...found };
  });
  return all.reverse();
}

test('the same bytes continue a version; another content, a redirect and a 404 end it; passing errors do not', () => {
  const cases: readonly (readonly [string[], string])[] = [
    [['200 a', '200 a', '200 b'], 'a 0-2, b 2-'],
    [['200 a', '404 x', '200 a'], 'a 0-1, a 2-'],
    [['200 a', '301 x', '404 y', '200 b', '410 z'], 'a 0-1, b 3-4'],
    [['200 a', '503 x', '429 y', '304 z', '200 a'], 'a 0-'],
    [['200 a', '200 b damaged', '200 c'], 'a 0-2, c 2-'],
    [['200 a', '200 b', '200 a'], 'a 0-1, b 1-2, a 2-'],
    [['404 x', '500 y'], ''],
  ];
  for (const [answers, expected] of cases) {
    const found = versionsOf(captures(...answers)).map(({ capture, fromMs, untilMs }) => {
      return `${capture.payloadDigest} ${fromMs / 1_000}-${untilMs === STILL_CURRENT ? '' : untilMs / 1_000}`;
    });
    assert.equal(found.join(', '), expected, answers.join(', '));
  }
});

test('of equal contents at the same time one is shown, and a page that is no duplicate today is preferred', () => {
  const version = (
    id: number,
    urlId: number,
    body: string,
    times: [number, number],
    more: Partial<FoundVersion> = {},
  ) => {
    const [fromMs, untilMs] = times;
    const facts = { payload: body, isPage: true, isCopy: false, canonicalId: 0 };
    return { id, urlId, body, fromMs, untilMs, ...facts, ...more } satisfies FoundVersion;
  };
  const shown = (...versions: FoundVersion[]) => leaveOutCopies(versions, null).map(({ id }) => id);
  assert.deepEqual(shown(version(1, 1, 'a', [0, 9]), version(2, 2, 'a', [3, 9])), [1]);
  assert.deepEqual(shown(version(1, 1, 'a', [0, 9], { isCopy: true }), version(2, 2, 'a', [3, 9])), [2]);
  assert.deepEqual(shown(version(1, 1, 'a', [0, 3]), version(2, 2, 'a', [3, 9])), [1, 2], 'the page moved');
  assert.deepEqual(shown(version(1, 1, 'a', [0, 3]), version(2, 1, 'a', [5, 9])), [1, 2], 'the page returned');
  const moving = [version(1, 1, 'a', [0, 5]), version(2, 2, 'a', [3, 9])];
  assert.deepEqual(shown(...moving), [1, 2], 'the second page has the content for longer');
  assert.deepEqual(
    leaveOutCopies(moving, 4).map(({ id }) => id),
    [1],
  );
  const printed = version(2, 2, 'b', [0, 9], { isCopy: true, canonicalId: 1 });
  assert.deepEqual(shown(version(1, 1, 'a', [3, 9]), printed), [1]);
  assert.deepEqual(shown(version(1, 1, 'a', [9, 12]), printed), [1, 2], 'the canonical page did not exist yet');
});
