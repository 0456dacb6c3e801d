import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManyHosts, type ManyHostsShape } from '../../bench/cluster/many-hosts.ts';
import { RunningWeb } from '../../bench/cluster/running-web.ts';
import {
  breachesOf,
  countPages,
  NO_PAGE,
  ROBOTS_PAGE,
  rateOf,
  timesFetched,
  type WebRequest,
} from '../../bench/cluster/web-log.ts';
import { renderPage } from '../../bench/web/page.ts';

const SHAPE: ManyHostsShape = {
  seed: 1,
  pages: 450,
  hosts: 220,
  network: '127.77',
  // A port for this run only, below the ports that the system assigns.
  port: 20_000 + (process.pid % 10_000),
  leaves: 1,
  isPrompt: true,
};

function request(page: number, beganMs: number, endedMs: number, more: Partial<WebRequest> = {}): WebRequest {
  return { host: 0, page, from: '', beganMs, endedMs, isWhole: true, ...more };
}

describe('the web of many hosts', () => {
  it('has each page reachable from the first, and one leaf a page', () => {
    const plan = new ManyHosts(SHAPE);
    const pages = new Map(Array.from({ length: SHAPE.pages }, (_, page) => [plan.url(page), page]));
    const seen = new Set([plan.seedUrl]);
    for (const url of seen) {
      const page = pages.get(url);
      if (page === undefined) continue;
      for (const [, href] of renderPage(plan, page).matchAll(/<a href="([^"]*)"/g)) seen.add(href!);
    }
    const leaves = Array.from(pages.values(), (page) => plan.leavesOf(page)).flat();
    assert.deepEqual(seen, new Set([...pages.keys(), ...leaves]));
    assert.equal(new Set(leaves).size, SHAPE.pages);
  });

  it('knows a page by its host and path, and nothing else', () => {
    const plan = new ManyHosts(SHAPE);
    for (let page = 0; page < SHAPE.pages; page++) {
      const { hostname, pathname } = new URL(plan.url(page));
      assert.equal(plan.pageAt(plan.hosts.indexOf(hostname), pathname), page);
    }
    assert.equal(plan.pageAt(0, '/leaf/1-0.html'), NO_PAGE);
    assert.equal(plan.pageAt(0, plan.path(221)), NO_PAGE);
  });

  it('answers between 20 and 80 ms, each page in the same time every time', () => {
    const plan = new ManyHosts({ ...SHAPE, isPrompt: false });
    const times = Array.from({ length: SHAPE.pages }, (_, page) => plan.answerMs(page));
    assert.ok(times.every((ms) => ms >= 20 && ms < 80));
    assert.ok(Math.min(...times) < 21 && Math.max(...times) > 75);
    const again = new ManyHosts({ ...SHAPE, isPrompt: false });
    assert.deepEqual(
      times,
      times.map((_, page) => again.answerMs(page)),
    );
  });

  it('records which client requested which page', async () => {
    const plan = new ManyHosts(SHAPE);
    const web = await RunningWeb.start(SHAPE);
    try {
      const home = await fetch(plan.url(219));
      assert.equal(await home.text(), renderPage(plan, 219));
      const robots = await fetch(new URL('/robots.txt', plan.url(3)));
      assert.match(await robots.text(), /Disallow: \/leaf\//);
      assert.equal((await fetch(plan.leavesOf(5)[0]!)).status, 404);
      const requests = await web.takeRequests();
      assert.deepEqual(
        requests.map(({ host, page, isWhole }) => [host, page, isWhole]),
        [
          [219, 219, true],
          [3, ROBOTS_PAGE, true],
          [5, NO_PAGE, true],
        ],
      );
      assert.match(requests[0]!.from, /^127\./);
      assert.deepEqual(await web.takeRequests(), []);
    } finally {
      await web.stop();
    }
  });
});

describe('the log of the web', () => {
  it('counts repeats, but no responses that were cut off', () => {
    const requests = [
      request(ROBOTS_PAGE, 0, 1),
      request(1, 1, 2),
      request(1, 3, 4),
      request(2, 5, 6, { isWhole: false }),
      request(2, 7, 8),
      request(NO_PAGE, 9, 10),
    ];
    assert.deepEqual(countPages(requests), {
      distinctPages: 2,
      repeatedPages: 1,
      robotsRequests: 1,
      otherRequests: 1,
    });
    assert.deepEqual(
      timesFetched(requests),
      new Map([
        [1, 2],
        [2, 1],
      ]),
    );
  });

  it('measures the rate while all workers are active', () => {
    const slowStart = Array.from({ length: 100 }, (_, page) => request(page, page * 100, page * 100 + 10));
    const rate = rateOf([request(1000, -5_000, -4_900), ...slowStart])!;
    assert.equal(rate.steadyPagesPerSecond.toFixed(3), '10.000');
    assert.ok(rate.pagesPerSecond < 7);
  });

  it('detects two simultaneous requests to a host that allows one, whoever sends them', () => {
    const requests = [request(1, 0, 100, { from: 'a' }), request(2, 50, 120, { from: 'b' })];
    assert.deepEqual(
      breachesOf(requests, { perHost: 1, delayMs: 0 }).map(({ rule, found }) => [rule, found]),
      [['parallel', 2]],
    );
    assert.deepEqual(breachesOf(requests, { perHost: 2, delayMs: 0 }), []);
    const elsewhere = [request(1, 0, 100), request(2, 50, 120, { host: 1 })];
    assert.deepEqual(breachesOf(elsewhere, { perHost: 1, delayMs: 100 }), []);
  });

  it('detects a delay that is too short, counted from the end of the last request', () => {
    const requests = [request(1, 0, 400), request(2, 100, 200), request(3, 450, 460)];
    const [breach, ...rest] = breachesOf(requests.toReversed(), { perHost: 2, delayMs: 100 });
    assert.equal(breach!.rule, 'delay');
    assert.equal(breach!.second.page, 2);
    assert.deepEqual(
      rest.map(({ found, second }) => [found, second.page]),
      [[50, 3]],
    );
    assert.deepEqual(breachesOf([request(1, 0, 10), request(2, 110, 120)], { perHost: 1, delayMs: 100 }), []);
  });
});
