/** Tests a unit in its thread that loses hosts to another worker: what it reports about them, and in which order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveOptions } from '../../src/core/options/options.ts';
import { CommittedPayloads } from '../../src/crawl/committed-payloads.ts';
import { UnitThread } from '../../src/crawl/crew/unit-thread.ts';
import { privateRuleOf } from '../../src/crawl/private-seeds.ts';
import type { FromUnit, UnitReport } from '../../src/crawl/unit/messages.ts';
import type { HostLease } from '../../src/store/contract.ts';
import { startWeb } from '../../testbed/web/local-web.ts';
import { dataFolder } from './stored-crawl.ts';

const HOST_ID = 7;

test('W13 a unit reports all results of a lost host before it confirms the loss, and none afterwards', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const asked = Promise.withResolvers<void>();
  // The server never answers; the request is aborted.
  web.on('/slow', () => asked.resolve());
  const dir = dataFolder(t);
  const unit = new UnitThread('unit0');
  t.after(() => unit.end());
  const told: FromUnit[] = [];
  const drained = Promise.withResolvers<void>();
  unit.start(
    {
      place: { dir, cluster: null, archives: [dir] },
      options: resolveOptions([{ from: 'test', given: { ignoreRobots: true, allowPrivate: true, delay: '10ms' } }]),
      topic: null,
      crawlInfo: {},
      refresh: null,
      rereadBeforeMs: 0,
      seeds: [web.url('/')],
      lessons: [],
      privateRule: privateRuleOf([], true),
      watchedHosts: [],
      window: 16,
      payloads: new CommittedPayloads().memory,
    },
    (_, message) => {
      told.push(message);
      if (message.type === 'drained') drained.resolve();
    },
    (_, cause) => drained.reject(new Error(cause)),
  );
  const urls = ['/slow', '/a', '/b'].map((path, i) => ({
    id: i + 1,
    url: web.url(path),
    depth: 0,
    hops: 0,
    failures: 0,
  }));
  const lease = {
    hostId: HOST_ID,
    host: new URL(web.url('/')).origin,
    manners: { askedAtMs: 0, delayMs: null, blockedUntilMs: 0 },
    robots: null,
    urls,
  } as unknown as HostLease;
  unit.post({ type: 'lease', lease, parallel: 1 });
  await asked.promise;
  unit.post({ type: 'return', hostId: HOST_ID });
  unit.post({ type: 'lose', hostIds: [HOST_ID] });
  unit.post({ type: 'drain' });
  await drained.promise;
  const heardAt = told.findIndex(({ type }) => type === 'lost');
  const of = (messages: readonly FromUnit[]): UnitReport[] => messages.filter((one) => one.type === 'report');
  const idsIn = (reports: readonly UnitReport[]): number[] =>
    reports.flatMap(({ returned, results }) => [...returned.flatMap(({ ids }) => ids), ...results.map(({ id }) => id)]);
  assert.deepEqual(idsIn(of(told.slice(0, heardAt))), [2, 3], 'what waited there');
  assert.deepEqual(idsIn(of(told.slice(heardAt))), [], 'what was under way is nobody’s to tell of');
  assert.equal(told.filter(({ type }) => type === 'fault').length, 0);
});
