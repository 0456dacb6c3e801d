import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { type DemoWeb, startDemoWeb } from '../../src/demo/demo-web.ts';
import { parsePage } from '../../src/page/page.ts';
import { walkDemo } from './walk-demo.ts';

let web: DemoWeb;
let guide: string;
let shop: string;
let gazette: string;
before(async () => {
  web = await startDemoWeb();
  [guide, shop, gazette] = web.seeds.map((seed) => new URL(seed).origin) as [string, string, string];
});
after(() => web.close());

function ask(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers });
}

async function bodyOf(url: string): Promise<string> {
  return (await ask(url)).text();
}

test('the demo web has three hosts, each with a front page that links to the others', async () => {
  assert.equal(new Set([guide, shop, gazette]).size, 3);
  for (const seed of web.seeds) {
    const response = await ask(seed);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const page = await response.text();
    for (const other of web.seeds.filter((url) => url !== seed)) assert.ok(page.includes(`href="${other}"`));
  }
});

test('about 300 pages can be reached, no link leads outside, and only the intended pages fail', async () => {
  const { pages, failed, outside } = await walkDemo(web.seeds);
  assert.deepEqual(outside, []);
  assert.ok(pages > 270 && pages < 330, `${pages} pages`);
  assert.deepEqual(
    failed.sort(),
    [`404 ${guide}/species/moon-weaver`, `404 ${shop}/product/cobweb-broom`]
      .concat(`404 ${gazette}/2024/02/missing`, `410 ${gazette}/retracted`, `503 ${gazette}/weather`)
      .sort(),
  );
});

test('two starts serve the same pages except for the ports', async (t) => {
  const other = await startDemoWeb();
  t.after(() => other.close());
  const withoutPorts = (text: string): string => text.replace(/(127\.0\.0\.\d):\d+/g, '$1');
  for (const [index, path] of ['/species/', '/catalogue?colour=gold', '/archive/2024/05'].entries()) {
    const [one, two] = await Promise.all([web, other].map(({ seeds }) => bodyOf(new URL(seeds[index]!).origin + path)));
    assert.equal(withoutPorts(one!), withoutPorts(two!));
  }
});

test('robots.txt disallows a part and names a sitemap of existing pages', async () => {
  for (const [origin, closed] of [
    [guide, '/notebook/'],
    [shop, '/checkout/'],
    [gazette, '/editors/'],
  ] as const) {
    const robots = await bodyOf(`${origin}/robots.txt`);
    assert.ok(robots.includes(`Disallow: ${closed}\n`));
    assert.ok(robots.includes(`Sitemap: ${origin}/sitemap.xml\n`));
    assert.doesNotMatch(robots, /crawl-delay/i);
    const sitemap = parsePage(Buffer.from(await bodyOf(`${origin}/sitemap.xml`)), 'application/xml', origin, {
      wantText: false,
      maxLinks: 1_000,
    });
    assert.equal(sitemap.kind, 'sitemap');
    assert.ok(sitemap.links.length > 40);
    assert.equal((await ask(sitemap.links.at(-1)!.href)).status, 200);
  }
});

test('the feed is Atom and links to articles', async () => {
  const feed = parsePage(Buffer.from(await bodyOf(`${gazette}/feed.atom`)), 'application/atom+xml', gazette, {
    wantText: false,
    maxLinks: 1_000,
  });
  assert.equal(feed.kind, 'feed');
  assert.ok(feed.links.filter(({ href }) => href.includes('/2024/')).length >= 20);
});

test('the demo web has a single redirect, a chain and a loop', async () => {
  const locations = async (url: string, steps: number): Promise<string[]> => {
    const seen: string[] = [];
    for (let next = url; seen.length < steps; next = new URL(seen.at(-1)!, next).href) {
      seen.push((await ask(next)).headers.get('location')!);
    }
    return seen;
  };
  assert.deepEqual(await locations(`${gazette}/yesterday`, 1), ['/']);
  assert.deepEqual(await locations(`${guide}/guide`, 3), ['/guide/start', '/guide/start/here', '/species/']);
  assert.deepEqual(await locations(`${gazette}/circle/one`, 3), ['/circle/two', '/circle/one', '/circle/two']);
});

test('the demo web has duplicates by content and by canonical link', async () => {
  const [one, two] = await Promise.all([
    bodyOf(`${gazette}/first-edition`),
    bodyOf(`${gazette}/first-edition/facsimile`),
  ]);
  assert.equal(one, two);
  assert.doesNotMatch(one!, /rel="canonical"/);
  const copy = await bodyOf(`${shop}/product/orb-web-dew?ref=letter`);
  assert.ok(copy.includes(`<link rel="canonical" href="${shop}/product/orb-web-dew">`));
});

test('the demo web has nofollow links and noindex pages', async () => {
  assert.match(await bodyOf(`${gazette}/`), /<a href="\/advertise" rel="nofollow sponsored">/);
  assert.match(await bodyOf(`${gazette}/letters/`), /<meta name="robots" content="noindex">/);
});

test('the demo web has endless calendars, filters, session ids and nested paths', async () => {
  const far = await bodyOf(`${gazette}/calendar?month=2999-12`);
  assert.match(far, /href="\/calendar\?month=3000-01"/);
  assert.match(far, /href="\/calendar\?month=2999-11"/);
  assert.equal((await ask(`${gazette}/calendar?month=soon`)).status, 404);
  assert.match(await bodyOf(`${shop}/catalogue?colour=gold`), /href="\/catalogue\?colour=gold&amp;size=small"/);
  assert.match(await bodyOf(`${shop}/`), /href="\/basket;jsessionid=[0-9a-f]{32}"/);
  const shelves = `${shop}/toys/${'computers/toys/'.repeat(9)}`;
  assert.match(await bodyOf(shelves), /href="computers\/"/);
});

test('words of a query are escaped', async () => {
  const page = await bodyOf(`${shop}/catalogue?colour=${encodeURIComponent('"><script>alert(1)</script>')}`);
  assert.ok(!page.includes('<script>alert'));
  assert.ok(page.includes('&lt;script&gt;'));
});

test('only the first request for the weather gets the response that the server is busy', async (t) => {
  const fresh = await startDemoWeb();
  t.after(() => fresh.close());
  const first = await ask(`${fresh.seeds[2]}weather`);
  assert.equal(first.status, 503);
  assert.equal(first.headers.get('retry-after'), '1');
  assert.equal((await ask(`${fresh.seeds[2]}weather`)).status, 200);
});

test('the slow page is slow', async () => {
  const startMs = performance.now();
  assert.equal((await ask(`${gazette}/slow-news`)).status, 200);
  assert.ok(performance.now() - startMs >= 295);
});

test('letters in ISO 8859-1 and Shift_JIS are decoded correctly', async () => {
  const quebec = await ask(`${gazette}/letters/quebec`);
  assert.match(quebec.headers.get('content-type')!, /charset=iso-8859-1/);
  const french = new TextDecoder('latin1').decode(await quebec.arrayBuffer());
  assert.match(french, /Chère rédaction/);
  assert.match(french, /Où\s/);
  const kyoto = Buffer.from(await (await ask(`${gazette}/letters/kyoto`)).arrayBuffer());
  const japanese = new TextDecoder('shift_jis', { fatal: true }).decode(kyoto);
  assert.match(japanese, /<title>京都からの手紙/);
  assert.ok(!japanese.includes('?</'), 'no character was lost');
});

test('pictures are valid PNG files, and the leaflet is a valid PDF file', async () => {
  const picture = await ask(`${guide}/plates/orbitella-lanternensis.png`);
  assert.equal(picture.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await picture.arrayBuffer());
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.equal(bytes.readUInt32BE(16), 120);
  const leaflet = Buffer.from(await (await ask(`${guide}/leaflet.pdf`)).arrayBuffer()).toString('latin1');
  assert.match(leaflet, /^%PDF-1\.4/);
  const xref = Number(/startxref\n(\d+)\n/.exec(leaflet)![1]);
  assert.equal(leaflet.slice(xref, xref + 4), 'xref');
});

test('gzip is used only if the client accepts it', async () => {
  const asked = async (accepted: string): Promise<{ coding: string | undefined; length: number }> =>
    new Promise((resolve, reject) => {
      get(`${guide}/species/`, { headers: { 'accept-encoding': accepted }, agent: false }, (response) => {
        response.resume();
        const length = Number(response.headers['content-length']);
        response.on('end', () => resolve({ coding: response.headers['content-encoding'], length }));
      }).on('error', reject);
    });
  const [zipped, plain, refused] = [await asked('gzip, br'), await asked('identity'), await asked('br, gzip;q=0')];
  assert.equal(zipped.coding, 'gzip');
  assert.equal(plain.coding, undefined);
  assert.equal(refused.coding, undefined);
  assert.ok(zipped.length < plain.length / 2);
});

test('an unchanged page is answered with 304', async () => {
  const etag = (await ask(`${guide}/`)).headers.get('etag')!;
  const again = await ask(`${guide}/`, { 'if-none-match': etag });
  assert.equal(again.status, 304);
  assert.equal(await again.text(), '');
});

test('the language versions of a page link to each other', async () => {
  const path = /href="(\/species\/[^"]+)"/.exec(await bodyOf(`${guide}/`))![1]!;
  const english = await bodyOf(guide + path);
  assert.ok(english.includes(`hreflang="de" href="${guide}/de${path}"`));
  const german = await bodyOf(`${guide}/de${path}`);
  assert.match(german, /<html lang="de">/);
  assert.ok(german.includes(`hreflang="en" href="${guide}${path}"`));
});

test('close ends everything at once, including idle connections', async () => {
  const closing = await startDemoWeb();
  const idle = connect(Number(new URL(closing.seeds[0]!).port), '127.0.0.1');
  await once(idle, 'connect');
  await fetch(closing.seeds[0]!);
  const ended = once(idle, 'close');
  await closing.close();
  await ended;
  await assert.rejects(fetch(closing.seeds[0]!));
});
