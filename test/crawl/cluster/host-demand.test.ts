/** W12: tests how many hosts a worker takes, given the hosts that it holds and its capacity. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CrawlOptions, resolveOptions } from '../../../src/core/options/options.ts';
import { hostDemandOf } from '../../../src/crawl/cluster/host-demand.ts';
import type { UnitThread } from '../../../src/crawl/crew/unit-thread.ts';
import { LiveLease } from '../../../src/crawl/live-leases.ts';
import type { HostManners } from '../../../src/store/contract.ts';

const NOW_MS = 1_700_000_000_000;
const CLOCK = { now: () => NOW_MS, after: () => () => {} };
const UNIT = { assigned: 0 } as UnitThread;
const ABILITY = { window: 40, pagesPerSecond: 0, answerMs: 250 };

function optionsWith(given: Record<string, unknown>): CrawlOptions {
  return resolveOptions([{ from: 'test', given: given as never }]);
}

const PROMPT = optionsWith({ delay: '0', perHost: '4' });

let lastId = 0;

/** A lease of a host with `out` URLs handed out. */
function leaseOf(out: number, manners: Partial<HostManners> = {}): LiveLease {
  const hostId = ++lastId;
  const host = `https://h${hostId}.example`;
  const known = { askedAtMs: 0, delayMs: null, blockedUntilMs: 0, ...manners };
  const lease = new LiveLease({ hostId, host, manners: known, robots: null, urls: [] }, 4);
  const urls = Array.from({ length: out }, (_, i) => ({ id: hostId * 1_000 + i }));
  lease.addShare(UNIT, 4, urls);
  return lease;
}

const leases = (count: number, out: number, manners?: Partial<HostManners>): LiveLease[] =>
  Array.from({ length: count }, () => leaseOf(out, manners));

test('W12 a worker without hosts takes one and a half times as many hosts as it has requests', () => {
  assert.deepEqual(hostDemandOf([], ABILITY, PROMPT, CLOCK), { hosts: 60, isShort: true });
});

test('W12 a host serves as many requests as its parallelism allows, and no more than it has URLs', () => {
  assert.deepEqual(hostDemandOf(leases(15, 100), ABILITY, PROMPT, CLOCK), { hosts: 0, isShort: false });
  assert.deepEqual(hostDemandOf(leases(10, 100), ABILITY, PROMPT, CLOCK), { hosts: 5, isShort: false });
  assert.deepEqual(hostDemandOf(leases(10, 1), ABILITY, PROMPT, CLOCK), { hosts: 50, isShort: true });
});

test('W12 a host with a delay serves a small part of a request, so many hosts are taken', () => {
  const polite = optionsWith({});
  const { hosts } = hostDemandOf(leases(50, 8, { delayMs: 1_000 }), ABILITY, polite, CLOCK);
  assert.equal(hosts, 250, 'a fifth of a request each');
  assert.equal(hostDemandOf(leases(300, 8, { delayMs: 1_000 }), ABILITY, polite, CLOCK).hosts, 0);
  const slow = { ...ABILITY, answerMs: 1_000 };
  assert.equal(hostDemandOf(leases(120, 8, { delayMs: 1_000 }), slow, polite, CLOCK).hosts, 0, 'a slow one keeps half');
  assert.equal(hostDemandOf(leases(50, 8), ABILITY, polite, CLOCK).hosts, 250, 'before it has said anything');
});

test('W12 hosts that are blocked or being released serve no request', () => {
  const blocked = leases(15, 100, { blockedUntilMs: NOW_MS + 1 });
  assert.deepEqual(hostDemandOf(blocked, ABILITY, PROMPT, CLOCK), { hosts: 60, isShort: true });
  const leaving = leases(15, 100);
  for (const lease of leaving) lease.isLeaving = true;
  assert.equal(hostDemandOf(leaving, ABILITY, PROMPT, CLOCK).hosts, 60);
});

test('W12 a faster worker holds more hosts', () => {
  const quick = { ...ABILITY, pagesPerSecond: 200 };
  assert.equal(hostDemandOf(leases(15, 100), quick, PROMPT, CLOCK).hosts, 20);
});
