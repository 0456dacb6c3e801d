/** Tests how long a robots.txt that cannot be read closes its host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isFresh, type RobotsRead, readRobots, rulingFrom } from '../../../src/crawl/unit/robots-keeper.ts';
import { type FetchOutcome, refusedOutcome } from '../../../src/fetch/outcome.ts';
import type { RobotsCopy } from '../../../src/store/contract.ts';
import { ManualClock } from '../../fetch/manual-clock.ts';

const HOST = 'http://a.test';
const DAY_MS = 86_400_000;

async function read(kept: RobotsCopy | null, clock: ManualClock, outcome: Partial<FetchOutcome>): Promise<RobotsRead> {
  const refused = refusedOutcome(`${HOST}/robots.txt`, clock.now(), 'connect-failed');
  const answer = await readRobots(HOST, kept, async () => ({ ...refused, ...outcome }) as FetchOutcome, clock);
  assert.ok(answer !== 'private-address');
  return answer;
}

test('RFC 9309 2.3.1.4 a robots.txt that cannot be read for 30 days counts as absent', async () => {
  const clock = new ManualClock();
  let last = await read(null, clock, {});
  assert.equal(last.trouble, 'connect-failed');
  const since = last.copy.failingSinceMs;
  for (let day = 1; day < 30; day++) {
    clock.advance(DAY_MS);
    last = await read(last.copy, clock, day % 2 === 0 ? {} : { status: 503, reason: 'server-error' });
    assert.equal(last.copy.failingSinceMs, since, 'since the first failure');
    assert.equal(rulingFrom(last.copy, 'orbweaver').refuses(`${HOST}/x`), 'robots-unreachable', `day ${day}`);
    assert.equal(isFresh(last.copy, clock.now()), false, 'it is asked for again');
  }
  clock.advance(DAY_MS);
  last = await read(last.copy, clock, {});
  const ruling = rulingFrom(last.copy, 'orbweaver');
  assert.deepEqual([ruling.refuses(`${HOST}/x`), ruling.closedUntilMs], [null, 0]);
  assert.equal(isFresh(last.copy, clock.now() + DAY_MS / 2), true, 'pages are requested without it for a day');
  assert.equal(isFresh(last.copy, clock.now() + DAY_MS), false);
  const answered = await read(last.copy, clock, { status: 404, reason: 'not-found' });
  assert.deepEqual([answered.trouble, answered.copy.failingSinceMs], [null, undefined], 'an answer ends the count');
  assert.equal((await read(answered.copy, clock, {})).copy.failingSinceMs, clock.now(), 'which then begins again');
});

test('a broken connection closes the host for a second, then twice as long each time', async () => {
  const clock = new ManualClock();
  let last: RobotsRead | null = null;
  const waits: number[] = [];
  for (let i = 0; i < 5; i++) {
    last = await read(last?.copy ?? null, clock, { reason: 'connection-reset' });
    waits.push(rulingFrom(last.copy, 'orbweaver', last.retryMs).closedUntilMs - clock.now());
    clock.advance(waits.at(-1)!);
  }
  assert.deepEqual(waits, [1_000, 1_000, 2_000, 4_000, 8_000]);
});

test('every answer on the way to robots.txt is released, so that its body no longer counts as held', async () => {
  const clock = new ManualClock();
  let held = 0;
  const ask = async (url: string): Promise<FetchOutcome> => {
    held++;
    const redirectTo = url.endsWith('/robots.txt') ? `${HOST}/moved` : null;
    return { ...refusedOutcome(url, clock.now(), 'not-found'), status: 404, redirectTo, release: () => held-- };
  };
  await readRobots(HOST, null, ask, clock);
  assert.equal(held, 0);
});
