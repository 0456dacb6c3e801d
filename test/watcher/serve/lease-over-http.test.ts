/** W7 over real sockets: fifty crawlers that take, hold and release. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesOf, localReport } from './local-report.ts';

interface HeadLease {
  readonly held: boolean;
  readonly holder?: string;
  readonly token?: string;
}

const leaseIn = (body: Buffer) => linesOf(body)[0]!.lease as HeadLease;

test('W7 of fifty crawlers that ask at once exactly one holds the lease, at any time', async () => {
  const { get, faults } = await localReport();
  let inside = 0;
  let turns = 0;
  let refusals = 0;
  /** By the server's answers: from the one that gave it to the question that gave it back. */
  const intervals: { holder: string; from: number; to: number }[] = [];
  let moment = 0;
  // All who were refused rush in together again.
  let { promise: nextRelease, resolve: released } = Promise.withResolvers<void>();
  const crawler = async (name: string, rounds: number) => {
    for (let done = 0; done < rounds; ) {
      const answer = await get(`?take=${name}&for=60&limit=0`);
      if (answer.status === 409) {
        refusals++;
        await nextRelease;
        assert.ok(Number(answer.headers['retry-after']) >= 1);
        continue;
      }
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['cache-control'], 'no-store');
      const from = moment++;
      assert.equal(++inside, 1, `${name} is not alone`);
      const lease = leaseIn(answer.body);
      assert.equal(lease.holder, name);
      if (turns % 3 === 0)
        assert.equal(leaseIn((await get(`?take=${name}&token=${lease.token}&limit=0`)).body).token, lease.token);
      const seen = leaseIn((await get('?limit=0')).body);
      assert.deepEqual([seen.holder, seen.token], [name, undefined], 'others see who, but not the token');
      inside--;
      intervals.push({ holder: name, from, to: moment++ });
      turns++;
      done++;
      assert.equal((await get(`?release=${lease.token}`)).status, 200);
      const tell = released;
      ({ promise: nextRelease, resolve: released } = Promise.withResolvers<void>());
      tell();
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, i) => crawler(`crawler-${i}`, 2)));
  assert.equal(turns, 100);
  assert.ok(refusals > 500, `${refusals} were refused`);
  intervals.sort((a, b) => a.from - b.from);
  for (const [i, { to }] of intervals.entries()) assert.ok(i + 1 === intervals.length || to < intervals[i + 1]!.from);
  assert.deepEqual(faults, []);
});

test('W7 who is refused is told who holds it; a wrong token is 409', async () => {
  const { get } = await localReport();
  const { token } = leaseIn((await get('?take=one&for=100')).body);
  const refused = await get('?take=two');
  assert.equal(refused.status, 409);
  const { lease } = JSON.parse(refused.body.toString()) as { lease: HeadLease };
  assert.deepEqual([lease.held, lease.holder, lease.token], [true, 'one', undefined]);
  assert.ok(Number(refused.headers['retry-after']) > 90);
  assert.equal((await get('?take=one&token=wrong')).status, 409);
  assert.equal((await get('?release=wrong')).status, 409);
  const released = await get(`?release=${token}`);
  assert.deepEqual([released.status, leaseIn(released.body).held, linesOf(released.body).length], [200, false, 2]);
  assert.equal((await get('?take=two')).status, 200);
});

test('W7 after a release the site is left alone until something changes', async () => {
  const { get, site } = await localReport({ lease: { reset: 'event' } });
  const { token } = leaseIn((await get('?take=one')).body);
  await get(`?release=${token}`);
  assert.equal((await get('?take=two')).status, 409);
  assert.equal((await get()).status, 200, 'reading is always possible');
  await site.put('/a.html', 'new');
  assert.equal((await get('?take=two')).status, 200);
});
