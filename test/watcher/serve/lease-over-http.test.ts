/** W7 over real sockets: fifty crawlers that take, hold and release the lease. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proofHeader } from '../../../src/core/report-proof.ts';
import { CrawlerKeys } from '../../../src/watcher/admit/crawler-keys.ts';
import { LeaseAdmission } from '../../../src/watcher/admit/lease-admission.ts';
import { linesOf, localReport } from './local-report.ts';

const KEY = { name: 'weaver', key: 'a-key-of-some-length' };

interface HeadLease {
  readonly held: boolean;
  readonly holder?: string;
  readonly token?: string;
}

const leaseIn = (body: Buffer) => linesOf(body)[0]!.lease as HeadLease;

test('W7 if fifty crawlers ask at once, exactly one holds the lease at any time', async () => {
  const { get, faults } = await localReport();
  let inside = 0;
  let turns = 0;
  let refusals = 0;
  /** From the answer that gave the lease to the request that released it, by the server's answers. */
  const intervals: { holder: string; from: number; to: number }[] = [];
  let moment = 0;
  // All refused crawlers try again at the same time.
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
      assert.deepEqual([seen.holder, seen.token], [name, undefined], 'others see the holder, but not the token');
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

test('W7 a refused crawler learns the name of the holder; a wrong token gets 409', async () => {
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

test('W7 after a release the lease is refused until a page changes', async () => {
  const { get, site } = await localReport({ lease: { reset: 'event' } });
  const { token } = leaseIn((await get('?take=one')).body);
  await get(`?release=${token}`);
  assert.equal((await get('?take=two')).status, 409);
  assert.equal((await get()).status, 200, 'reading is always possible');
  await site.put('/a.html', 'new');
  assert.equal((await get('?take=two')).status, 200);
});

test('W7 an anonymous request for one year gets a short lease, and then its address has to wait', async () => {
  let now = 0;
  const admission = new LeaseAdmission({ longestMs: 120_000, takesPerMinute: 30 });
  const { get } = await localReport({ admission, handler: { steadyMs: () => now }, lease: { anonymousMs: 120_000 } });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const given = await get('?take=evil&for=999999999', from('198.51.100.1'));
  const { until, token } = linesOf(given.body)[0]!.lease as { until: string; token: string };
  assert.ok(Date.parse(until) <= Date.now() + 120_000, until);
  assert.equal((await get('?take=honest', from('198.51.100.2'))).status, 409);
  now += 119_000;
  await get(`?release=${token}`);
  const second = await get('?take=evil&for=999999999', from('198.51.100.1'));
  const { until: shorter, token: next } = linesOf(second.body)[0]!.lease as { until: string; token: string };
  assert.ok(Date.parse(shorter) <= Date.now() + 62_000, shorter);
  now += 61_000;
  await get(`?release=${next}`);
  for (const address of ['198.51.100.1', '198.51.100.1']) {
    const again = linesOf((await get('?take=evil&for=999999999', from(address))).body)[0]!.lease as HeadLease;
    if (again.held && again.token) await get(`?release=${again.token}`);
  }
  assert.equal((await get('?take=honest', from('198.51.100.2'))).status, 200);
});

test('W7 an address that keeps taking and releasing is refused after some rounds, and others are served', async () => {
  const admission = new LeaseAdmission({ longestMs: 120_000, takesPerMinute: 30 });
  const { get } = await localReport({ admission, handler: { steadyMs: () => 0 } });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const turn = async (address: string) => {
    const answer = await get('?take=a&for=60&limit=0', from(address));
    if (answer.status === 200) await get(`?release=${leaseIn(answer.body).token}`);
    return answer;
  };
  const answers = [];
  for (let i = 0; i < 40; i++) answers.push(await turn('198.51.100.1'));
  assert.equal(answers.filter(({ status }) => status === 200).length, 30);
  const refused = answers.at(-1)!;
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  assert.deepEqual(JSON.parse(refused.body.toString()), { lease: { by: 'server', held: false } });
  assert.equal((await turn('198.51.100.2')).status, 200);
});

test('W7 a crawler with a key gets the lease although an unknown crawler holds it; a wrong key gets 401', async () => {
  const admission = new LeaseAdmission({ keys: new CrawlerKeys([KEY]), longestMs: 120_000, takesPerMinute: 30 });
  const { get, site } = await localReport({ admission, lease: { anonymousMs: 120_000 } });
  const origin = linesOf((await get()).body)[0]!.site as string;
  const proof = (query: string, who = KEY, timeMs = Date.now()) => ({
    'Orbweaver-Crawler': proofHeader(who, origin, query, timeMs),
  });
  const ask = (query: string) => get(`?${query}`, proof(query));
  assert.equal((await get('?take=evil&for=999999999')).status, 200);
  const taken = proof('take=weaver&for=3000');
  const given = await get('?take=weaver&for=3000', taken);
  assert.deepEqual([given.status, leaseIn(given.body).holder], [200, 'weaver']);
  assert.equal((await get('?take=evil&for=999999999')).status, 409);
  const { token } = leaseIn(given.body);
  assert.equal((await ask(`take=weaver&token=${token}`)).status, 200);
  assert.equal((await ask(`release=${token}`)).status, 200);
  assert.equal((await get('?take=weaver&for=3000', taken)).status, 409, 'a recorded proof');
  assert.equal((await ask('since=x.1&limit=1')).status, 200);
  const wrong = proof('take=weaver', { ...KEY, key: 'another-key-of-length' });
  assert.equal((await get('?take=weaver', wrong)).status, 401);
  assert.equal((await get('?take=weaver', proof('take=weaver', KEY, Date.now() - 400_000))).status, 401);
  assert.equal((await get('?take=weaver', { 'Orbweaver-Crawler': 'x'.repeat(10_000) })).status, 401);
  assert.ok(site.lastSeq >= 0);
});

test('W7 with leases for known crawlers only, others get the report alone, or 409 while it is held', async () => {
  const admission = new LeaseAdmission({ leaseFor: 'known', from: ['203.0.113.0/24'] });
  const { get } = await localReport({ admission, handler: { trustedProxies: ['127.0.0.1'] } });
  const from = (address: string) => ({ 'X-Forwarded-For': address });
  const evil = await get('?take=evil&for=999999999', from('198.51.100.1'));
  assert.deepEqual([evil.status, linesOf(evil.body)[0]!.lease], [200, { by: 'none', held: false }]);
  const spoofed = await get('?take=evil', from('203.0.113.9, 198.51.100.1'));
  assert.deepEqual(linesOf(spoofed.body)[0]!.lease, { by: 'none', held: false });
  const given = await get('?take=weaver', from('203.0.113.9'));
  assert.equal(leaseIn(given.body).holder, 'weaver');
  assert.equal((await get('?take=evil', from('198.51.100.1'))).status, 409);
  assert.equal((await get('', from('198.51.100.1'))).status, 200);
  // The forwarded address of a proxy that the owner did not name gives no rights.
  const unnamed = await localReport({ admission: new LeaseAdmission({ leaseFor: 'known', from: ['203.0.113.0/24'] }) });
  const lease = linesOf((await unnamed.get('?take=evil', from('203.0.113.9'))).body)[0]!.lease;
  assert.deepEqual(lease, { by: 'none', held: false });
});
