import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  indexXml,
  partPath,
  partXml,
  planSitemap,
  SITEMAP_LIMITS,
  SitemapPlanner,
} from '../../../src/watcher/announce/sitemap.ts';
import type { ReportSource } from '../../../src/watcher/report/report-source.ts';
import { SiteInMemory, sourceOf } from '../report/site-in-memory.ts';

async function read(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

const locs = (xml: string) => [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc!);

test('every page is in exactly one part with its change time, and parts stay within the limits', async () => {
  const site = new SiteInMemory();
  site.begin(Array.from({ length: 120_000 }, (_, i) => `/${i}.html`));
  const source = sourceOf(site);
  const parts = await planSitemap(source);
  assert.equal(parts.length, 3);
  const seen = new Set<string>();
  for (const part of parts) {
    const xml = await read(partXml(source, part));
    const found = locs(xml);
    assert.ok(found.length <= SITEMAP_LIMITS.urls);
    for (const loc of found) seen.add(loc);
    assert.match(xml, /^<\?xml [^>]*\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">\n<url>/);
    assert.match(xml, /<lastmod>1970-01-01T00:33:20\.000Z<\/lastmod><\/url>\n<\/urlset>\n$/);
  }
  assert.equal(seen.size, 120_000);
  assert.deepEqual(await planSitemap(source), parts, 'the same site has the same parts');
  const index = indexXml(source.site, '/.well-known/s.xml', parts);
  assert.deepEqual(
    locs(index),
    [1, 2, 3].map((n) => `https://www.example.org${partPath('/.well-known/s.xml', n)}`),
  );
});

test('a part that is read after pages were added and deleted is complete and stays within the limits', async () => {
  const site = new SiteInMemory();
  site.begin(Array.from({ length: 50_000 }, (_, i) => `/${String(i).padStart(6, '0')}.html`));
  const source = sourceOf(site);
  const parts = await planSitemap(source);
  await site.remove('/048999.html');
  for (let i = 0; i < 500; i++) await site.put(`/000000/${i}.html`, 'new');
  const found = await Promise.all(parts.map(async (part) => locs(await read(partXml(source, part)))));
  assert.ok(found.every((part) => part.length <= SITEMAP_LIMITS.urls));
  assert.equal(new Set(found.flat()).size, 50_499);
});

test('long URLs cause more parts, and characters that XML does not allow are escaped or left out', async () => {
  const site = new SiteInMemory();
  site.begin(Array.from({ length: 20_000 }, (_, i) => `/${i}/${'x'.repeat(2_800)}`));
  assert.ok((await planSitemap(sourceOf(site))).length > 1);
  const odd = new SiteInMemory();
  odd.begin(['/a&b<c>"d\'\0\x08e']);
  const xml = await read(partXml(sourceOf(odd), (await planSitemap(sourceOf(odd)))[0]!));
  assert.match(xml, /<loc>https:\/\/www\.example\.org\/a&amp;b&lt;c&gt;&quot;d&apos;e<\/loc>/);
});

test('many readers share one plan, and a new plan is made when the site changed and some time has passed', async () => {
  const site = new SiteInMemory();
  site.begin(['/']);
  let walks = 0;
  const source: ReportSource = sourceOf(site);
  const pages = site.pages.bind(site);
  site.pages = (after, limit) => {
    if (after === null) walks++;
    return pages(after, limit);
  };
  let now = 0;
  const desk = new SitemapPlanner(source, () => now, 1_000);
  await Promise.all([desk.plan(), desk.plan(), desk.plan()]);
  now = 5_000;
  await desk.plan();
  assert.equal(walks, 1);
  await site.put('/a', '1');
  await desk.plan();
  assert.equal(walks, 2);
  await site.put('/a', '2');
  await desk.plan();
  assert.equal(walks, 2);
  site.pages = () => Promise.reject(new Error('disk'));
  now = 9_000;
  await assert.rejects(desk.plan(), /disk/);
  site.pages = pages;
  assert.equal((await desk.plan()).length, 1);
});
