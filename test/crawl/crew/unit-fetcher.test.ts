/** The controller's requests, sent by a real unit thread to a local web. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { UnitFetcher } from '../../../src/crawl/crew/unit-fetcher.ts';
import { UnitThread } from '../../../src/crawl/crew/unit-thread.ts';
import { ControllerRequests } from '../../../src/crawl/unit/controller-requests.ts';
import { type LocalWeb, reply, startWeb } from '../../../testbed/web/local-web.ts';

async function setUp(t: TestContext): Promise<{ web: LocalWeb; unit: UnitThread; fetcher: UnitFetcher }> {
  const web = await startWeb();
  web.on('/report', reply('a report', { 'x-kind': 'report' }));
  web.on('/hangs', () => {});
  const unit = new UnitThread('unit0');
  const fetcher = new UnitFetcher(unit, { fetch: { privateAddresses: 'allow' } }, systemClock);
  t.after(async () => {
    await fetcher.close();
    await unit.end();
    await web.close();
  });
  return { web, unit, fetcher };
}

test('W11 a unit that is not started yet sends the requests of the controller', async (t) => {
  const { web, fetcher } = await setUp(t);
  const outcome = await fetcher.fetch(web.url('/report'), { 'x-proof': 'key' });
  assert.deepEqual(
    [outcome.status, outcome.decoded.toString(), outcome.header('x-kind'), outcome.reason],
    [200, 'a report', 'report', null],
  );
});

test('a unit that has ended is replaced for the next request', async (t) => {
  const { web, unit, fetcher } = await setUp(t);
  assert.equal((await fetcher.fetch(web.url('/report'))).status, 200);
  await unit.end();
  assert.equal((await fetcher.fetch(web.url('/report'))).status, 200);
});

test('an aborted request and a closed fetcher answer at once', async (t) => {
  const { web, fetcher } = await setUp(t);
  const hanging = fetcher.fetch(web.url('/hangs'));
  while (web.ledger.entries.every(({ path }) => path !== '/hangs')) await new Promise((done) => setTimeout(done, 5));
  fetcher.abort(web.origin);
  assert.equal((await hanging).reason, 'connection-reset');
  const second = fetcher.fetch(web.url('/hangs'));
  await fetcher.close();
  assert.equal((await second).reason, 'connection-reset');
  assert.equal((await fetcher.fetch(web.url('/report'))).reason, 'connection-reset');
});

test('a unit that ends finishes its requests and sends no more, so that none is sent twice', async (t) => {
  const { web } = await setUp(t);
  const letGo = Promise.withResolvers<void>();
  web.on('/held', (visit) => void letGo.promise.then(() => reply('at last')(visit)));
  const answered: number[] = [];
  const requests = new ControllerRequests(({ number }) => answered.push(number));
  requests.receive({ type: 'rules', rules: { fetch: { privateAddresses: 'allow' } } });
  requests.receive({ type: 'send', number: 1, url: web.url('/held'), headers: {} });
  await web.ledger.seen('/held');
  const closed = requests.close();
  requests.receive({ type: 'send', number: 2, url: web.url('/report'), headers: {} });
  letGo.resolve();
  await closed;
  assert.equal((await fetch(web.url('/after'))).status, 404);
  assert.deepEqual(answered, [1]);
  assert.equal(web.ledger.count('/report'), 0);
});
