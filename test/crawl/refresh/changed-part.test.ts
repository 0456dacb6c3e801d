/** A change touches the own content of a page or the template of its host, also if their lines have the same words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWeb } from '../../../testbed/web/local-web.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { refreshHere } from './refresh-here.ts';

const PRODUCTS = 12;

test('a price in a line that all products have is own content, and a new year on all pages is template', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  let year = 2025;
  const prices = new Map<string, number>();
  const page = (path: string): string => `<!doctype html><title>Product ${path}</title>
    <main><h1>Product ${path}</h1><p>Price: ${prices.get(path) ?? 10}.00 EUR</p>
    <p>About ${['red', 'blue', 'green', 'grey'][Number(path) % 4]} product ${path}: ${'tea '.repeat(Number(path) + 3)}</p>
    <p>Prices of ${year} with tax</p></main>`;
  const links = Array.from({ length: PRODUCTS }, (_, product) => `<a href="/${product + 1}">p</a>`).join(' ');
  web.on('/*', ({ path: written, response }) => {
    const path = written.slice(1);
    response.setHeader('content-type', 'text/html');
    response.end(path === '' ? links : page(path));
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  prices.set('12', 11);
  await refreshHere(dir);
  year = 2026;
  await refreshHere(dir);
  const { stdout } = await runCli('history', web.url('/12'), '--dir', dir, '--json');
  const parts = (JSON.parse(stdout) as { looks: { noted: { part: string } | null }[] }).looks.map(
    ({ noted }) => noted?.part,
  );
  assert.deepEqual(parts, ['template', 'own', undefined]);
});

test('a change that the hashes of a page show is described later, also if the page is compared for noise', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  let target = '/1';
  const asked: string[] = [];
  web.on('/*', ({ path, response }) => {
    asked.push(path);
    response.setHeader('content-type', 'text/html');
    response.end(`<main><p>Nothing but tea.</p></main><nav><a href="${target}">Next</a></nav>`);
  });
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')]);
  target = '/2';
  asked.length = 0;
  const { changed, changedBy, undescribed } = await refreshHere(dir);
  assert.deepEqual([changed, changedBy, undescribed], [1, {}, 1]);
  assert.equal(asked.filter((path) => path === '/').length, 2, 'fetched twice, because a link may be noise');
  const { stdout } = await runCli('history', web.url('/'), '--dir', dir, '--json');
  const { looks: visits } = JSON.parse(stdout) as { looks: { noted: { change: { kinds: string[] } | null } | null }[] };
  assert.deepEqual(
    visits.flatMap(({ noted }) => noted?.change?.kinds ?? []),
    ['links'],
  );
});

test('a clock that agrees with the Date header of its response is no change, and any other time is one', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const shown = { clock: '', event: 'Doors open at 18:00.' };
  let sent = '';
  web.on('/*', ({ response }) => {
    response.setHeader('content-type', 'text/html');
    response.setHeader('date', sent);
    response.end(`<p>${shown.event}</p><p>The time now is ${shown.clock}.</p>`);
  });
  const dir = dataFolder(t);
  const serve = (atMs: number, zoneMs: number): void => {
    sent = new Date(atMs).toUTCString();
    shown.clock = new Date(atMs + zoneMs).toISOString().slice(11, 19);
  };
  const startMs = Date.UTC(2026, 10, 19, 23, 58, 7);
  serve(startMs, 0);
  await crawlHere(dir, [web.url('/')]);
  const given = { learnNoise: false };
  serve(startMs + 5 * 3_600_000, 0);
  const quiet = await refreshHere(dir, given);
  assert.deepEqual([quiet.changed, quiet.noise], [0, 1]);
  serve(startMs + 7 * 3_600_000, 3_600_000);
  assert.equal((await refreshHere(dir, given)).changed, 1, 'the clock has another offset');
  shown.event = 'Doors open at 19:00.';
  assert.equal((await refreshHere(dir, given)).changed, 1);
});
