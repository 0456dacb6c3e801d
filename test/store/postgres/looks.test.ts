/** Tests pages that several processes visit again at once: no change is reported twice, and none is missed. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CommitBatch, CommitReceipt, Finding, HostLease, Store, UrlResult } from '../../../src/store/contract.ts';
import type { StoreAddress } from '../../../src/store/postgres/connection/address.ts';
import { Database } from '../../../src/store/postgres/connection/database.ts';
import { slotOf } from '../../../src/store/postgres/leases/tally-writer.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { RandomLooks } from '../contract/model/random-looks.ts';
import { checkSound } from '../contract/model/sound-copy.ts';
import { batchOf, claim, commit, found, linksTo, NOW_MS, page, resultOf } from '../rows.ts';
import { postgresIn } from './setup/postgres-in.ts';

const ROUNDS = 15;
/** Longer than a test may take. */
const LEASE_MS = 1e9;

/** A process with its own host, whose front page it has fetched. */
class Writer {
  readonly store: Store;
  readonly owner: string;
  readonly lease: HostLease;
  readonly front: number;
  #nowMs = NOW_MS;

  constructor(store: Store, owner: string, lease: HostLease) {
    this.store = store;
    this.owner = owner;
    this.lease = lease;
    this.front = lease.urls[0]!.id;
  }

  async fetch(tasks: readonly { readonly id: number; readonly url: string }[], more: Partial<UrlResult> = {}) {
    const results = tasks.map((task) => resultOf(this.lease, task, { page: page(task.url), ...more }));
    return commit(this.store, results, { owner: this.owner });
  }

  async batch(id: number, finding: Finding, more: Partial<UrlResult> = {}): Promise<CommitBatch> {
    const [task] = await this.store.revisits([id]);
    this.#nowMs += 1_000;
    const revisit = { sinceMs: task!.earlier!.checkedAtMs, checkedAtMs: this.#nowMs, finding, change: null };
    const result = resultOf(this.lease, task!, { ...more, revisit });
    return batchOf([result], { owner: this.owner, nowMs: this.#nowMs });
  }

  async look(id: number, finding: Finding, more: Partial<UrlResult> = {}): Promise<CommitReceipt> {
    return this.store.commit(await this.batch(id, finding, more));
  }

  /** Makes the front page link to these pages from now on. */
  async relink(ids: readonly number[]): Promise<void> {
    const body = `${this.lease.host} with ${ids.join()}`;
    const { states } = await this.look(this.front, 'changed', { page: page(body), knownLinks: linksTo(ids) });
    assert.deepEqual(states, ['fetched']);
  }
}

async function writersOn(t: TestContext, count: number): Promise<Writer[]> {
  const request = await postgresIn(t.name);
  const writers: Writer[] = [];
  for (let i = 0; i < count; i++) {
    const owner = `writer ${i}`;
    const store = await openPostgresStore({ ...request, process: owner });
    t.after(() => store.close());
    await store.seed([found(`http://host-${i}.test/`, { depth: 0 })], NOW_MS);
    const [lease] = await claim(store, { owner, hosts: 1, leaseMs: LEASE_MS });
    writers.push(new Writer(store, owner, lease!));
  }
  return writers;
}

/** The first writer links to pages of the last one, all of which are fetched. Returns their ids. */
async function linkedPages([first, ...others]: readonly Writer[], count: number): Promise<readonly number[]> {
  const last = others.at(-1)!;
  const links = Array.from({ length: count }, (_, i) => found(`${last.lease.host}/${i}`));
  const { linkIds } = await first!.fetch([first!.lease.urls[0]!], {
    foundLinks: links,
    foundAttributes: links.map(() => 0),
  });
  for (const other of others) await other.fetch([other.lease.urls[0]!]);
  await last.fetch(linkIds[0]!.map((id, i) => ({ id, url: links[i]!.url })));
  return linkIds[0]!;
}

async function orphansOf(store: Store, ids: readonly number[]): Promise<number[]> {
  const records = await store.records(ids);
  return records.filter(({ orphanedAtMs }) => orphanedAtMs !== null).map(({ id }) => id);
}

test('a reader that follows the change log by number misses no entry of several processes', {
  skip: noPostgres,
}, async (t) => {
  const writers = await writersOn(t, 4);
  for (const writer of writers) await writer.fetch([writer.lease.urls[0]!]);
  const read: number[] = [];
  let isOver = false;
  const follow = async (): Promise<void> => {
    for (let wasOver = false; !wasOver; ) {
      wasOver = isOver;
      const more = await writers[0]!.store.changes(read.at(-1) ?? 0, 3);
      read.push(...more.map(({ seq }) => seq));
      if (more.length > 0) wasOver = false;
    }
  };
  const note = async (writer: Writer): Promise<void> => {
    for (let i = 0; i < ROUNDS; i++) {
      await writer.look(writer.front, 'changed', { page: page(`${writer.owner} ${i}`) });
    }
  };
  const following = follow();
  await Promise.all(writers.map(note));
  isOver = true;
  await following;
  const all = await writers[1]!.store.changes(0, 1_000);
  assert.equal(all.length, writers.length * ROUNDS);
  assert.deepEqual(
    read,
    all.map(({ seq }) => seq),
  );
});

test('a visit that two processes commit at once counts once, whether the page changed or not', {
  skip: noPostgres,
}, async (t) => {
  const [writer, other] = await writersOn(t, 2);
  await writer!.fetch([writer!.lease.urls[0]!]);
  for (let i = 0; i < ROUNDS; i++) {
    const isSame = i % 2 === 0;
    const batch = await writer!.batch(
      writer!.front,
      isSame ? 'same' : 'changed',
      isSame ? {} : { page: page(`version ${i}`) },
    );
    const receipts = await Promise.all([writer!, other!].map(({ store }) => store.commit(batch)));
    assert.deepEqual(receipts.flatMap(({ states }) => states).sort(), ['fetched', null]);
  }
  const [visit] = await other!.store.visitsOf([writer!.front]);
  assert.equal(visit?.checks, ROUNDS);
  assert.equal((await other!.store.changes(0, 1_000)).length, Math.floor(ROUNDS / 2));
});

test('a page that loses its last two links in two processes at once is an orphan, and is logged once', {
  skip: noPostgres,
}, async (t) => {
  const [a, b, c] = await writersOn(t, 3);
  const ids = await linkedPages([a!, b!, c!], ROUNDS);
  await b!.relink(ids);
  for (let i = 1; i <= ids.length; i++) {
    await Promise.all([a!.relink(ids.slice(i)), b!.relink(ids.slice(i))]);
    assert.deepEqual(await orphansOf(c!.store, ids), ids.slice(0, i));
  }
  const told = (await c!.store.changes(0, 1_000)).filter(({ kind }) => kind === 'orphaned').map(({ id }) => id);
  assert.deepEqual(told, ids);
});

for (const held of ['adding', 'removing'] as const) {
  test(`a page whose last link is removed while another process adds a link is no orphan (${held} ends last)`, {
    skip: noPostgres,
  }, async (t) => {
    const [a, b, c] = await writersOn(t, 3);
    const [id] = await linkedPages([a!, b!, c!], 1);
    const link = found(`${b!.lease.host}/new`);
    const [fresh] = await b!.store.seed([link], NOW_MS);
    const add = () => b!.fetch([{ id: fresh!, url: link.url }], { knownLinks: linksTo([id!]) });
    const take = () => a!.relink([]);
    const [slow, quick, owner] = held === 'adding' ? [add, take, b!.owner] : [take, add, a!.owner];
    const hold = await heldCounts(t, owner);
    const ending = slow();
    await hold.untilWaiting(1);
    const other = quick();
    // The other commit waits as well. If the locks failed to stop it, it would be done.
    await Promise.race([hold.untilWaiting(2), other]);
    await hold.release();
    await Promise.all([ending, other]);
    assert.deepEqual(await c!.store.backlinks([id!]), [1]);
    assert.deepEqual(await orphansOf(c!.store, [id!]), []);
  });
}

test('a copy that two processes crawl and visit at random is consistent whenever both are idle', {
  skip: noPostgres,
}, async (t) => {
  const request = await postgresIn(t.name);
  const shares = [0, 1].map((i) => ({ owner: `writer ${i}`, file: `${i}.warc.gz`, hosts: [i] }));
  const both: RandomLooks[] = [];
  let store: Store | null = null;
  for (const [i, share] of shares.entries()) {
    store = await openPostgresStore({ ...request, process: share.owner });
    t.after(store.close.bind(store));
    both.push(new RandomLooks(store, i + 1, share));
    await both[i]!.begin();
  }
  for (let round = 0; round < 5; round++) {
    await Promise.all(
      both.map(async (looks) => {
        for (let step = 0; step < 10; step++) await looks.step();
      }),
    );
    await checkSound(store!, new Map(both.flatMap(({ pages }) => [...pages])), `after round ${round}`);
  }
  assert.ok(both.every(({ looks }) => looks > 10));
});

/** Blocks the commits of a process just before their end, at the counts that they write last. */
async function heldCounts(t: TestContext, owner: string) {
  const { address, name } = await postgresIn(t.name);
  const db = new Database(address as StoreAddress, `orbweaver_${name}`);
  t.after(() => db.close());
  const isHeld = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const holding = db.transaction(async (session) => {
    await session.all(`SELECT 1 AS held FROM ${db.schema}.totals WHERE slot = $1 FOR UPDATE`, [slotOf(owner)]);
    isHeld.resolve();
    await end.promise;
  });
  await isHeld.promise;
  return {
    async untilWaiting(count: number): Promise<void> {
      const sql = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      while ((await db.all(sql))[0]!.n < count);
    },
    async release(): Promise<void> {
      end.resolve();
      await holding;
    },
  };
}
