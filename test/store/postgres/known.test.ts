/** Tests several processes that find and learn the same things at once. Two stores over one database stand for them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FoundUrl } from '../../../src/store/contract.ts';
import type { StoreAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { HostIdCache } from '../../../src/store/postgres/discovery/host-id-cache.ts';
import { openPostgresStore, type PostgresStore, schemaOf } from '../../../src/store/postgres/postgres-store.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { temporaryFolder } from '../fresh-store.ts';
import { byPath, HOST, itemPaths, ParameterSite, verdicts } from '../parameter-site.ts';
import { allUrls, claim, commit, found, NOW_MS, OTHER_OWNER, OWNER, page, recordOf, resultOf } from '../rows.ts';
import { postgresIn } from './setup/postgres-in.ts';

async function twoStores(t: TestContext): Promise<[PostgresStore, PostgresStore]> {
  const request = await postgresIn(temporaryFolder(t));
  const stores = [
    await openPostgresStore({ ...request, process: 'one' }),
    await openPostgresStore({ ...request, process: 'two' }),
  ] as [PostgresStore, PostgresStore];
  t.after(() => Promise.all(stores.map((store) => store.close())));
  return stores;
}

test('M1 E7 if two processes find the same URLs at once, each URL is known and counted once', {
  skip: noPostgres,
}, async (t) => {
  const stores = await twoStores(t);
  const BATCHES = 150;
  const PATHS = 400;
  const random = new SeededRandom(5);
  const batchOf = (): FoundUrl[] =>
    Array.from({ length: 12 }, () => {
      const n = random.below(PATHS);
      const isDeep = n % 7 === 0 && random.below(2) === 0;
      const pattern = n % 5 === 0 ? 'fifth' : null;
      return found(`http://h${n % 9}.test/${n}`, { pattern, skip: isDeep ? 'too-deep' : null, depth: isDeep ? 9 : 2 });
    });
  const told: { readonly url: string; readonly id: number }[] = [];
  let discovered = 0;
  const work = async (store: PostgresStore, owner: string) => {
    for (let i = 0; i < BATCHES; i++) {
      const links = batchOf();
      if (i % 3 === 0) {
        const ids = await store.seed(links, NOW_MS);
        for (const [n, id] of ids.entries()) told.push({ url: links[n]!.url, id });
      } else discovered += (await commit(store, [], { found: links, owner, patternBudget: 40 })).discovered;
    }
  };
  // Two connections per store: the batches of one process overlap, too.
  await Promise.all([
    work(stores[0], OWNER),
    work(stores[0], OWNER),
    work(stores[1], OTHER_OWNER),
    work(stores[1], OTHER_OWNER),
  ]);
  const urls = await allUrls(stores[0]);
  const ids = new Map(urls.map(({ url, id }) => [url, id]));
  assert.equal(ids.size, urls.length, 'each URL has one row');
  assert.ok(urls.length > PATHS * 0.95, 'nearly all URLs were found');
  assert.ok(discovered > 0 && discovered <= urls.length, 'no process counts a URL that another made known');
  for (const { url, id } of told) assert.equal(id, ids.get(url), 'all processes get the same id');
  const states = Map.groupBy(urls, ({ state }) => state);
  const counts = await stores[1].counts();
  const sizeOf = (state: 'waiting' | 'skipped') => states.get(state)?.length ?? 0;
  assert.deepEqual([counts.states.waiting, counts.states.skipped], [sizeOf('waiting'), sizeOf('skipped')]);
  for (const { host, waiting } of await stores[1].hosts(0, 99)) {
    assert.equal(waiting, urls.filter((url) => url.host === host && url.state === 'waiting').length, host);
  }
});

test('a path pattern has one budget, however many workers find its URLs at once', { skip: noPostgres }, async (t) => {
  const stores = await twoStores(t);
  const BUDGET = 30;
  const links = Array.from({ length: 90 }, (_, n) => found(`${HOST}/day?d=${n}`, { pattern: '/day?d=' }));
  const work = async (store: PostgresStore, from: number) => {
    for (let i = 0; i < links.length; i += 6) {
      const some = Array.from({ length: 9 }, (_, n) => links[(from + i + n) % links.length]!);
      await commit(store, [], { found: some, patternBudget: BUDGET });
    }
  };
  await Promise.all([work(stores[0], 0), work(stores[1], 3), work(stores[1], 45)]);
  const reasons = (await allUrls(stores[0])).map(({ reason }) => reason);
  assert.equal(reasons.length, links.length);
  assert.equal(reasons.filter((reason) => reason === null).length, BUDGET);
  assert.equal((await stores[0].counts()).reasons['trap-pattern-budget'], links.length - BUDGET);
});

test('a link waits if one process finds it nearer to the seeds while another process leaves it out', {
  skip: noPostgres,
}, async (t) => {
  const [one, other] = await twoStores(t);
  for (let n = 0; n < 30; n++) {
    const url = `http://h${n % 3}.test/${n}`;
    await Promise.all([
      commit(one, [], { found: [found(url, { depth: 9, skip: 'too-deep' })] }),
      commit(other, [], { found: [found(url, { depth: 2 })] }),
    ]);
    const { state, depth } = await recordOf(one, url);
    assert.deepEqual([state, depth], ['waiting', 2], url);
  }
  assert.equal((await one.counts()).states.skipped, 0);
});

test('URLs that other workers leave out while a lesson is undone wait', { skip: noPostgres }, async (t) => {
  const [one, other] = await twoStores(t);
  const site = await ParameterSite.open(one);
  await site.visit(itemPaths([1, 2, 3], ['', '?ref=a', '?ref=b', '?ref=c']), byPath);
  assert.deepEqual(verdicts(await other.lessons(['ignored'])), ['/item/* ref ignored']);
  await site.know(['/item/5', '/item/5?ref=audit']);
  const leaveOut = async () => {
    for (let n = 100; n < 160; n++) {
      const links = [found(`${HOST}/item/${n}`), found(`${HOST}/item/${n}?ref=x`, { skip: 'ignored-parameter' })];
      await commit(other, [], { found: links, owner: OTHER_OWNER });
    }
  };
  await Promise.all([leaveOut(), site.visit(['/item/5', '/item/5?ref=audit'], (path) => path)]);
  assert.deepEqual(await other.lessons(['ignored']), []);
  const urls = await allUrls(one);
  assert.deepEqual(
    urls.filter(({ state }) => state === 'skipped').map(({ url }) => url),
    [],
  );
  const { states } = await other.counts();
  assert.equal(states.skipped, 0);
  assert.equal(states.waiting, urls.filter(({ state }) => state === 'waiting').length);
});

test('a URL does not count as known while the transaction that makes it known is open', {
  skip: noPostgres,
}, async (t) => {
  const [one, other] = await twoStores(t);
  await one.seed([found('http://a.test/'), found('http://b.test/')], NOW_MS);
  const [a] = await claim(one, { hosts: 1 });
  const [b] = await claim(other, { hosts: 1, owner: OTHER_OWNER });
  const foundLinks = Array.from({ length: 200 }, (_, n) => found(`http://c.test/${n}`));
  const receipts = await Promise.all([
    commit(one, [resultOf(a!, a!.urls[0]!, { page: page('a'), foundLinks })]),
    commit(other, [resultOf(b!, b!.urls[0]!, { page: page('b'), foundLinks: foundLinks.toReversed() })], {
      owner: OTHER_OWNER,
    }),
  ]);
  assert.deepEqual(receipts[0].linkIds[0], receipts[1].linkIds[0]!.toReversed());
  assert.equal(receipts[0].discovered + receipts[1].discovered, 200);
  assert.equal((await one.host('http://c.test'))!.waiting, 200);
});

test('the ids of hosts are right even if more hosts are requested than the cache holds', {
  skip: noPostgres,
}, async (t) => {
  const request = await postgresIn(temporaryFolder(t));
  await (await openPostgresStore(request)).close();
  const db = new Database(request.address as StoreAddress, schemaOf(request.name));
  t.after(() => db.close());
  const book = new HostIdCache(db, 0, async (host) => host, 20);
  const names = Array.from({ length: 28 }, (_, i) => `http://h${i}.test`);
  const before = await book.idsOf(new Set(names.slice(0, 16)));
  const some = [...names.slice(0, 11), names[16]!];
  const [first, second] = await Promise.all([book.idsOf(new Set(some)), book.idsOf(new Set(names.slice(17)))]);
  const ids = await book.idsOf(new Set(names));
  assert.equal(new Set(ids.values()).size, names.length);
  for (const told of [before, first, second]) for (const [name, id] of told) assert.equal(id, ids.get(name), name);
  assert.deepEqual([...first.keys()].sort(), some.sort());
});
