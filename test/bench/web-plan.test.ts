import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderPage } from '../../bench/web/page.ts';
import { WebPlan, type WebShape } from '../../bench/web/plan.ts';

const PORT = 21_400;

function linksIn(html: string): string[] {
  return Array.from(html.matchAll(/<a href="([^"]*)"/g), (match) => match[1]!);
}

function crawlAll(plan: WebPlan): Set<string> {
  const pageOf = new Map(Array.from({ length: plan.shape.pages }, (_, page) => [plan.url(page), page]));
  const seen = new Set([plan.seedUrl]);
  // A loop over a Set also visits values that are added during the loop, so the Set works as a queue.
  for (const url of seen) {
    const page = pageOf.get(url);
    assert.notEqual(page, undefined, `${url} is linked but not in the web`);
    for (const href of linksIn(renderPage(plan, page!))) seen.add(new URL(href, url).href);
  }
  return seen;
}

describe('the local web', () => {
  const shapes: WebShape[] = [
    { seed: 1, pages: 150, hosts: 1 },
    { seed: 2, pages: 150, hosts: 20 },
    { seed: 3, pages: 3, hosts: 3 },
    { seed: 4, pages: 1, hosts: 1 },
  ];
  for (const shape of shapes) {
    it(`has every page reachable from the first: ${shape.pages} pages, ${shape.hosts} hosts`, () => {
      const plan = new WebPlan(shape, PORT);
      assert.equal(crawlAll(plan).size, shape.pages);
    });
  }

  it('is the same for the same seed and another for another', () => {
    const shape = { seed: 7, pages: 100, hosts: 2 };
    const page = renderPage(new WebPlan(shape, PORT), 42);
    assert.equal(renderPage(new WebPlan(shape, PORT), 42), page);
    assert.notEqual(renderPage(new WebPlan({ ...shape, seed: 8 }, PORT), 42), page);
  });

  it('has pages of about 36 KB with 60 links, 20 of them shared by the host', () => {
    const plan = new WebPlan({ seed: 1, pages: 1_000, hosts: 4 }, PORT);
    const navigation = plan.links(0).navigation;
    for (const page of [0, 4, 400, 996]) {
      const html = renderPage(plan, page);
      const bytes = Buffer.byteLength(html);
      assert.ok(bytes > 35_000 && bytes < 38_000, `page ${page} has ${bytes} bytes`);
      const links = linksIn(html);
      assert.equal(links.length, 60);
      assert.deepEqual(links.slice(0, 20), navigation);
    }
  });

  it('links to other hosts by absolute URLs', () => {
    const plan = new WebPlan({ seed: 1, pages: 1_000, hosts: 20 }, PORT);
    const hosts = new Set(plan.links(500).far.map((url) => new URL(url).hostname));
    assert.ok(hosts.size > 3, `only ${hosts.size} hosts`);
  });

  it('gives every page a path of its own', () => {
    const plan = new WebPlan({ seed: 1, pages: 5_000, hosts: 3 }, PORT);
    const urls = new Set(Array.from({ length: 5_000 }, (_, page) => plan.url(page)));
    assert.equal(urls.size, 5_000);
  });

  it('refuses an impossible shape', () => {
    assert.throws(() => new WebPlan({ seed: 1, pages: 10, hosts: 21 }, PORT), RangeError);
    assert.throws(() => new WebPlan({ seed: 1, pages: 2, hosts: 3 }, PORT), RangeError);
  });
});
