/**
 * Tests copies of pages (C7) while several workers commit at once: in any order, each content has one
 * original, and no duplicates form a cycle.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { HostLease, Store, UrlRecord, UrlResult } from '../../../src/store/contract.ts';
import { Database, type Session } from '../../../src/store/postgres/connection/database.ts';
import { openPostgresStore, type PostgresRequest } from '../../../src/store/postgres/postgres-store.ts';
import { hostOf } from '../../../src/url/host.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { at, copyOf } from '../looking-again.ts';
import { allUrls, claim, commit, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';
import { postgresIn } from './setup/postgres-in.ts';

const LEASE_MS = 1e9;
const here = { skip: noPostgres };
/** The fingerprints of a text that all pages with a canonical link have. */
const SKETCH = sketchWith(Array(8).keys());

interface Worker {
  readonly store: Store;
  readonly owner: string;
  leases: readonly HostLease[];
}

async function workersOn(t: TestContext, request: PostgresRequest, count: number): Promise<Worker[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const store = await openPostgresStore({ ...request, process: `worker ${i}` });
      t.after(() => store.close());
      return { store, owner: `worker ${i}`, leases: [] };
    }),
  );
}

/** Makes the URLs known and leases one host with all its URLs to each worker. */
async function share(workers: readonly Worker[], urls: readonly string[]): Promise<void> {
  await workers[0]!.store.seed(
    urls.map((url) => found(url)),
    NOW_MS,
  );
  for (const worker of workers) {
    worker.leases = await claim(worker.store, { owner: worker.owner, hosts: 1, urlsPerHost: 1_000, leaseMs: LEASE_MS });
    assert.equal(worker.leases.length, 1);
  }
}

function bring(workers: readonly Worker[], url: string, more: Partial<UrlResult>) {
  const worker = workers.find(({ leases }) => leases[0]!.host === hostOf(url))!;
  const lease = worker.leases[0]!;
  const result = resultOf(lease, lease.urls.find((task) => task.url === url)!, more);
  return commit(worker.store, [result], { owner: worker.owner });
}

/** The original of each content. Throws if a content has none or more than one. */
function originals(records: readonly UrlRecord[]): Map<string, UrlRecord> {
  const pages = records.filter(({ state, bytes }) => bytes > 0 && (state === 'fetched' || state === 'duplicate'));
  const found = new Map<string, UrlRecord>();
  for (const [digest, same] of Map.groupBy(pages, (record) => record.digest)) {
    const fetched = same.filter(({ state }) => state === 'fetched');
    assert.equal(fetched.length, 1, `${fetched.length} originals among ${same.map(({ url }) => url)}`);
    found.set(digest, fetched[0]!);
    for (const { duplicateOf, state } of same) if (state === 'duplicate') assert.equal(duplicateOf, fetched[0]!.url);
  }
  return found;
}

/** A transaction next to those of the store, which the test ends. */
async function transactionBeside(t: TestContext, request: PostgresRequest) {
  const db = new Database(request.address as Exclude<PostgresRequest['address'], string>, `orbweaver_${request.name}`);
  t.after(() => db.close());
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<Session>();
  const done = db.transaction(async (session) => {
    begin(session);
    await ended;
  });
  done.catch(() => {});
  const session = await begun;
  return {
    session,
    schema: db.schema,
    commit: async () => {
      resolve();
      await done;
    },
    rollBack: async () => {
      reject(new Error('rolled back by the test'));
      await done.catch(() => {});
    },
    /** Waits until another transaction waits for a lock of this one. */
    isWaitedFor: async () => {
      for (;;) {
        const [row] = await db.all(
          'SELECT count(*) AS waiting FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0',
        );
        if (row!.waiting > 0) return;
      }
    },
  };
}

for (const ending of ['commit', 'rollBack'] as const) {
  test(`C7 a commit waits for another transaction that stores the same content (${ending})`, here, async (t) => {
    const request = await postgresIn(t.name);
    const workers = await workersOn(t, request, 2);
    const urls = ['http://a.test/', 'http://b.test/'];
    await share(workers, urls);
    await bring(workers, urls[0]!, { page: page('first') });
    const first = await recordOf(workers[0]!.store, urls[0]!);
    const digest = hash('sha256', 'second').slice(0, 32);
    const beside = await transactionBeside(t, request);
    const sql = `INSERT INTO ${beside.schema}.contents (digest, url_id) VALUES ($1::uuid, $2)`;
    await beside.session.run(sql, [digest, first.id]);
    const committed = bring(workers, urls[1]!, { page: page('second') });
    await beside.isWaitedFor();
    await beside[ending]();
    const { states } = await committed;
    assert.deepEqual(states, [ending === 'commit' ? 'duplicate' : 'fetched']);
    const { duplicateOf } = await recordOf(workers[0]!.store, urls[1]!);
    assert.equal(duplicateOf, ending === 'commit' ? urls[0] : null);
  });
}

test('C7 if four workers store the same pages at once, each content has one original', here, async (t) => {
  const request = await postgresIn(t.name);
  const workers = await workersOn(t, request, 4);
  const hosts = workers.map((_, i) => `http://h${i}.test`);
  const paths = Array.from({ length: 24 }, (_, i) => `/${i}`);
  await share(
    workers,
    hosts.flatMap((host) => paths.map((path) => host + path)),
  );
  await Promise.all(
    workers.map(async ({ store, owner, leases: [lease] }, i) => {
      // Each worker uses another order, so that their commits meet in all ways.
      const random = new SeededRandom(i + 1);
      const tasks = lease!.urls
        .map((task) => ({ task, place: random.below(1_000) }))
        .sort((a, b) => a.place - b.place)
        .map(({ task }) => task);
      for (let from = 0; from < tasks.length; from += 6) {
        const results = tasks
          .slice(from, from + 6)
          .map((task) => resultOf(lease!, task, { page: page(`body of ${task.url.slice(hosts[0]!.length)}`) }));
        await commit(store, results, { owner });
      }
    }),
  );
  const records = await allUrls(workers[0]!.store);
  assert.equal(originals(records).size, paths.length);
  const { states } = await workers[0]!.store.counts();
  assert.deepEqual([states.fetched, states.duplicate], [paths.length, 3 * paths.length]);
});

test('C7 a duplicate that is stored while its original changes or leaves still has an original', here, async (t) => {
  const request = await postgresIn(t.name);
  const [one, other] = await workersOn(t, request, 2);
  const copy = await copyOf(one!.store, { seed: { body: 'seed' }, a: { body: 'same 0' } });
  const urls = Array.from({ length: 12 }, (_, i) => `http://b.test/${i}`);
  await one!.store.seed(
    urls.map((url) => found(url)),
    NOW_MS,
  );
  other!.leases = await claim(other!.store, { owner: other!.owner, hosts: 1, leaseMs: LEASE_MS });
  for (const [i, url] of urls.entries()) {
    const look =
      i % 3 === 2 ? copy.look('a', 'gone', { reason: 'gone' }) : copy.look('a', 'changed', { body: `same ${i + 1}` });
    await Promise.all([look, bring([other!], url, { page: page(`same ${i}`) })]);
    originals(await allUrls(one!.store));
    if (i % 3 === 2) await copy.look('a', 'changed', { body: `same ${i + 1}` });
  }
});

test('C7 if pages on two hosts name each other as canonical at the same time, both see the loop', here, async (t) => {
  const request = await postgresIn(t.name);
  const workers = await workersOn(t, request, 2);
  const paths = Array.from({ length: 6 }, (_, i) => `/${i}`);
  await share(
    workers,
    paths.flatMap((path) => [`http://a.test${path}`, `http://b.test${path}`]),
  );
  for (const path of paths) {
    const [a, b] = [`http://a.test${path}`, `http://b.test${path}`];
    await Promise.all([
      bring(workers, a, { page: page(a, { canonical: found(b), sketch: SKETCH }) }),
      bring(workers, b, { page: page(b, { canonical: found(a), sketch: SKETCH }) }),
    ]);
    for (const url of [a, b]) {
      const { state, canonicalVerdict } = await recordOf(workers[0]!.store, url);
      assert.deepEqual([state, canonicalVerdict], ['fetched', 'loop'], url);
    }
  }
});

test(
  'C7 a page and its canonical page on another host that are stored at the same time find each other',
  here,
  async (t) => {
    const request = await postgresIn(t.name);
    const workers = await workersOn(t, request, 2);
    const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
    await share(
      workers,
      paths.flatMap((path) => [`http://a.test${path}`, `http://b.test${path}`]),
    );
    for (const path of paths) {
      const [a, b] = [`http://a.test${path}`, `http://b.test${path}`];
      await Promise.all([
        bring(workers, a, { page: page(a, { canonical: found(b), sketch: SKETCH }) }),
        bring(workers, b, { page: page(b, { sketch: SKETCH }) }),
      ]);
      const { state, duplicateOf } = await recordOf(workers[0]!.store, a);
      assert.deepEqual([state, duplicateOf], ['duplicate', b], path);
    }
    const { states } = await workers[0]!.store.counts();
    assert.deepEqual([states.fetched, states.duplicate], [paths.length, paths.length]);
  },
);

test(
  'redirects on two hosts that lead to each other are recognised as a loop, also if they are stored at the same time',
  here,
  async (t) => {
    const request = await postgresIn(t.name);
    const workers = await workersOn(t, request, 2);
    const paths = Array.from({ length: 6 }, (_, i) => `/${i}`);
    await share(
      workers,
      paths.flatMap((path) => [`http://a.test${path}`, `http://b.test${path}`]),
    );
    for (const path of paths) {
      const [a, b] = [`http://a.test${path}`, `http://b.test${path}`];
      const receipts = await Promise.all([
        bring(workers, a, { state: 'redirect', redirectTo: found(b, { hops: 1 }) }),
        bring(workers, b, { state: 'redirect', redirectTo: found(a, { hops: 1 }) }),
      ]);
      assert.deepEqual(receipts.flatMap(({ states }) => states).sort(), ['failed', 'redirect'], path);
    }
  },
);

test(
  'C7 a page is no duplicate of its canonical URL if that URL leaves the copy at the same moment',
  here,
  async (t) => {
    const request = await postgresIn(t.name);
    const [one, other] = await workersOn(t, request, 2);
    const names = Array.from({ length: 8 }, (_, i) => `c${i}`);
    const answers = Object.fromEntries(names.map((name) => [name, { body: name, more: { sketch: SKETCH } }]));
    const copy = await copyOf(one!.store, { seed: { body: 'seed' }, ...answers });
    const urls = names.map((name) => `http://b.test/${name}`);
    await one!.store.seed(
      urls.map((url) => found(url)),
      NOW_MS,
    );
    other!.leases = await claim(other!.store, { owner: other!.owner, hosts: 1, leaseMs: LEASE_MS });
    for (const [i, name] of names.entries()) {
      await Promise.all([
        copy.look(name, 'gone', { reason: 'gone' }),
        bring([other!], urls[i]!, { page: page(urls[i]!, { canonical: found(at(name)), sketch: SKETCH }) }),
      ]);
      const { state, duplicateOf } = await recordOf(one!.store, urls[i]!);
      assert.deepEqual([state, duplicateOf], ['fetched', null], name);
    }
  },
);
