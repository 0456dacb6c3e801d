import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { compareCopy, type KnownRow } from '../../bench/cluster/faults/copy-check.ts';
import { FAULTS, scheduleFaults } from '../../bench/cluster/faults/fault-schedule.ts';
import { ManyHosts } from '../../bench/cluster/many-hosts.ts';

const PLAN = new ManyHosts({
  seed: 1,
  pages: 40,
  hosts: 4,
  network: '127.77',
  port: 21_972,
  leaves: 1,
  isPrompt: true,
});
const PAGES = Array.from({ length: 40 }, (_, page) => PLAN.url(page));

function rightRows(): KnownRow[] {
  const linked = PAGES.map((own, page) => {
    const { navigation, near, far } = PLAN.links(page);
    return new Set([...navigation, ...near, ...far].filter((url) => url !== own));
  });
  const row = (url: string, state: string, outlinks: number) => {
    const inlinks = linked.filter((links) => links.has(url)).length;
    return { url, state, inlinks, outlinks };
  };
  return [
    ...PAGES.map((url, page) => row(url, 'fetched', linked[page]!.size)),
    ...PAGES.flatMap((_, page) => PLAN.leavesOf(page).map((url) => row(url, 'skipped', 0))),
  ];
}

describe('the comparison of a copy with the web', () => {
  it('finds no difference where there is none', () => {
    assert.deepEqual(compareCopy(rightRows(), PAGES, PLAN), { pages: 40, captures: 40, differences: [] });
  });

  it('reports a missing page, a waiting page, a page that was stored twice, and a lost link', () => {
    const tell = (rows: readonly KnownRow[], captured: readonly string[] = PAGES) =>
      compareCopy(rows, captured, PLAN).differences.join('\n');
    const rows = rightRows();
    assert.match(tell(rows.slice(1)), /1 URLs are not known/);
    assert.match(tell(rows.slice(0, -1)), /1 URLs are not known.*leaf/);
    assert.match(tell([...rows, rows[0]!]), /1 URLs are known twice/);
    assert.match(tell(rows.with(3, { ...rows[3]!, state: 'waiting' })), /1 pages are not fetched: .*\(waiting\)/);
    assert.match(tell(rows.with(5, { ...rows[5]!, inlinks: 1 })), /1 counts of links differ: .* has 1 links to it/);
    assert.match(tell(rows.with(5, { ...rows[5]!, outlinks: 1 })), /1 counts of links differ: .* has 1 links instead/);
    assert.match(tell(rows, [...PAGES, PAGES[7]!]), /1 pages are not in the archive exactly once: .*\(2\)/);
    assert.match(tell(rows, PAGES.slice(1)), /1 pages are not in the archive exactly once: .*\(0\)/);
  });
});

describe('the schedule of faults', () => {
  const counts = { kill: 30, freeze: 5, restart: 5, crash: 1, cut: 5 };

  it('has the requested number of each kind, spread over the crawl, and is the same for the same seed', () => {
    const due = scheduleFaults(counts, 5_000, 1);
    for (const kind of FAULTS) assert.equal(due.filter(({ fault }) => fault === kind).length, counts[kind]);
    const places = due.map(({ atPages }) => atPages);
    assert.deepEqual(
      places,
      places.toSorted((left, right) => left - right),
    );
    assert.ok(places[0]! >= 200 && places.at(-1)! <= 4_500);
    assert.deepEqual(due, scheduleFaults(counts, 5_000, 1));
    assert.notDeepEqual(due, scheduleFaults(counts, 5_000, 2));
  });

  it('a clock that is an hour off is off in every thread, and timers are correct', async () => {
    // A module, because units are modules.
    const thread =
      'data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.postMessage(Date.now()+new Date().getTime())';
    const script = `
      const { Worker } = require('node:worker_threads');
      new Worker(new URL(${JSON.stringify(thread)})).once('message', (inThread) => {
        const startedAt = performance.now();
        setTimeout(() => console.log(JSON.stringify([Date.now() * 2, inThread, performance.now() - startedAt, new Date(5).getTime()])), 1);
      });`;
    const preload = pathToFileURL(`${import.meta.dirname}/../../bench/cluster/faults/shifted-clock.ts`).href;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, BENCH_CLOCK_SHIFT_MS: '3600000' },
    });
    const [main, inThread, waitedMs, fixed] = JSON.parse(stdout) as [number, number, number, number];
    for (const twice of [main, inThread]) assert.ok(Math.abs(twice / 2 - Date.now() - 3_600_000) < 60_000);
    assert.ok(waitedMs < 60_000);
    assert.equal(fixed, 5);
  });
});
