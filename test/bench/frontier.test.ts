import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { copyFilled, fillFolder } from '../../bench/frontier/fill.ts';
import { readFrontierOptions } from '../../bench/frontier/options.ts';
import { KnownPlan, LINK_SERIES } from '../../bench/frontier/plan.ts';
import { BadOption } from '../../bench/options.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';

const SERVED = 100;

function plan(known: number, series: (typeof LINK_SERIES)[number]): KnownPlan {
  return new KnownPlan({ known, served: SERVED, series, seed: 1 });
}

it('the served pages are the same however many URLs are known', () => {
  for (let page = 0; page < SERVED; page++) assert.equal(plan(200, 'local').url(page), plan(5_000, 'new').url(page));
});

it('every page has 60 links to known URLs, and the links of new pages lead beyond them', () => {
  const known = 500;
  for (const series of LINK_SERIES) {
    const web = plan(known, series);
    const urls = new Set(Array.from({ length: known }, (_, number) => web.knownUrl(number)));
    const far = new Set<string>();
    for (let page = 0; page < SERVED; page++) {
      const { navigation, near, far: last } = web.links(page);
      assert.equal(navigation.length + near.length + last.length, 60);
      for (const url of [...navigation, ...near]) assert.ok(urls.has(url), url);
      for (const url of last) {
        assert.equal(urls.has(url), series !== 'new', url);
        far.add(url);
      }
    }
    if (series === 'new') assert.equal(far.size, SERVED * 10);
  }
});

it('in a filled folder every URL waits, and only served hosts may be asked', async (t) => {
  const work = await mkdtemp(join(tmpdir(), 'frontier-'));
  t.after(() => rm(work, { recursive: true }));
  const web = plan(2_500, 'local');
  const filled = await fillFolder(work, web, () => {});
  const copy = join(work, 'copy');
  await copyFilled(filled, copy);
  const nowMs = Date.now();
  const store = openSqliteStore(copy, nowMs);
  t.after(() => store.close());
  assert.equal((await store.counts()).states.waiting, 2_500);
  const leases = await store.claim({ owner: 'test', hosts: 10_000, urlsPerHost: 1_000, nowMs, leaseMs: 1_000 });
  const claimed = leases.flatMap(({ urls }) => urls.map(({ url }) => url)).sort();
  assert.deepEqual(claimed, Array.from({ length: SERVED }, (_, page) => web.url(page)).sort());
  assert.equal((await fillFolder(work, web, () => {})).fillSeconds, undefined);
});

it('the frontier benchmark has its own flags, and a wrong flag is named', () => {
  const options = readFrontierOptions(['--known', '100000,10000', '--links', 'new']);
  assert.ok(options !== 'help');
  assert.deepEqual(options.known, [10_000, 100_000]);
  assert.ok(options.partial);
  const whole = readFrontierOptions([]);
  assert.ok(whole !== 'help' && !whole.partial);
  assert.throws(() => readFrontierOptions(['--links', 'far']), BadOption);
  assert.throws(() => readFrontierOptions(['--known', '10']), BadOption);
  assert.throws(() => readFrontierOptions(['--hosts', '10']), BadOption);
});
