/** Tests what a whole refresh delivers: a command, a webhook and a feed file receive the same changes. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startLivingSite } from '../../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';
import { refreshHere } from './refresh-here.ts';

test('a command, a webhook and a feed receive each change, and the next run repeats failed deliveries', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', '<title>front</title><a href="/a">a</a> <a href="/b">b</a>');
  site.set('/a', '<title>a</title><p>The first page says this and that.</p>');
  site.set('/b', '<title>b</title><p>The second page says something else.</p>');
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });

  const heard: { seq: number; url: string; kind: string }[] = [];
  let isBroken = true;
  const hook = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      if (!isBroken) heard.push(...JSON.parse(body).data.changes);
      response.writeHead(isBroken ? 410 : 204).end();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  t.after(() => hook.close());
  const lines = join(dir, 'heard.jsonl');
  writeFileSync(lines, '');
  const given = {
    onChange: `cat >> '${lines}'`,
    webhook: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`,
    webhookSecret: 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0',
    feed: join(dir, 'changes.atom'),
  };
  const byCommand = () =>
    readFileSync(lines, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => `${JSON.parse(line).kind} ${JSON.parse(line).url.replace(site.web.origin, '')}`);

  site.set('/a', '<title>a</title><p>The first page says quite another thing.</p>');
  const first = await refreshHere(dir, given);
  assert.deepEqual(byCommand(), ['changed /a']);
  assert.equal(first.undelivered, 1, 'the webhook has not taken it');
  assert.match(readFileSync(given.feed, 'utf8'), /<entry>[\s\S]*\/a/);

  isBroken = false;
  site.pages.set('/b', { status: 410 });
  const second = await refreshHere(dir, given);
  assert.equal(second.undelivered, 0);
  assert.deepEqual(byCommand(), ['changed /a', 'gone /b']);
  assert.deepEqual(
    heard.map(({ kind, url }) => `${kind} ${url.replace(site.web.origin, '')}`),
    ['changed /a', 'gone /b'],
  );
  assert.equal(readFileSync(given.feed, 'utf8').match(/<entry>/g)?.length, 2);
});

test('with --when, only changes whose new version meets a condition are delivered, and the others are done with', async (t) => {
  const site = await startLivingSite(t);
  const page = (name: string, price: string, stock: string) =>
    `<title>${name}</title><p>Price: ${price} €</p><p>${stock}</p><a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>`;
  site.set('/', page('front', '1', ''));
  for (const path of ['/a', '/b', '/c', '/d']) site.set(path, page(path, '120', 'In stock'));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/'), site.web.url('/d')], { patience: '0s' });
  const lines = join(dir, 'heard.jsonl');
  writeFileSync(lines, '');
  const given = {
    onChange: `cat >> '${lines}'`,
    when: ['price < 100 and price > 5', 'appeared: sold out'],
    feed: join(dir, 'changes.atom'),
  };
  await refreshHere(dir, given);
  site.set('/a', page('/a', '99,00', 'In stock'));
  site.set('/b', page('/b', '130', 'Sold out'));
  site.set('/c', page('/c', '119', 'In stock'));
  site.pages.set('/d', { status: 410 });
  const { undelivered } = await refreshHere(dir, given);
  const heard = readFileSync(lines, 'utf8').trimEnd().split('\n');
  assert.deepEqual(heard.map((line) => new URL(JSON.parse(line).url).pathname).sort(), ['/a', '/b']);
  assert.equal(undelivered, 0);
  assert.equal(readFileSync(given.feed, 'utf8').match(/<entry>/g)?.length, 2);
  await assert.rejects(refreshHere(dir, { ...given, when: ['cheap'] }), { code: 'ERR_BAD_OPTION' });
});
