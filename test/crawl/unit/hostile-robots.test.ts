/**
 * Tests a healthy host beside a host whose robots.txt is made to cost time. Before, a path was matched against every
 * rule, which took 0.8 CPU seconds for each URL of this test, and all hosts of the thread waited for it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { hostileForm } from '../../robots/hostile-forms.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { dataFolder } from '../stored-crawl.ts';

const URLS = 100;
const HEALTHY_PAGES = 100;
/** The crawl takes about 2 CPU seconds, and took more than 80 before. Wall time is not checked. */
const MAX_CPU_SECONDS = 30;

test('a robots.txt with 16,000 wildcard rules does not delay another host', async (t) => {
  const ledger = new Ledger();
  const [healthy, hostile] = await Promise.all(
    ['127.0.0.1', '127.0.0.2'].map((address) => startWeb({ address, ledger })),
  );
  t.after(() => Promise.all([healthy!.close(), hostile!.close()]));
  const form = hostileForm('words that are longer when spelled', {
    fileBytes: 511_900,
    pathChars: 1_900,
    seed: 3,
  });
  const long = Array.from({ length: URLS }, (_, index) => hostile!.url(form.path(index)));
  const robots = Buffer.concat([form.robots, Buffer.from('Disallow: /forbidden*$\n')]);
  hostile!.on('/robots.txt', reply(robots, { 'content-type': 'text/plain' }));
  hostile!.on('/*', (visit) => reply(`<p>${visit.path.slice(0, 20)}`)(visit));
  const links = [...long, hostile!.url('/forbidden/x')].map((url) => `<a href="${url}">x</a>`).join('');
  const own = Array.from({ length: HEALTHY_PAGES }, (_, index) => `<a href="/page-${index}">x</a>`).join('');
  healthy!.on('/', reply(links + own));
  healthy!.on('/page-*', (visit) => reply(`<p>healthy ${visit.path}`)(visit));
  const dir = dataFolder(t);
  const before = process.cpuUsage();
  await crawlHere(dir, [healthy!.url('/')], { scope: 'any', patience: '0s', nearDuplicate: 0 });
  const { user, system } = process.cpuUsage(before);
  const fates = await fatesOf(dir, healthy!.origin);
  const fetched = Object.entries(fates).filter(([, fate]) => fate === 'fetched');
  assert.equal(fetched.filter(([url]) => url.startsWith('/page-')).length, HEALTHY_PAGES);
  assert.equal(fetched.filter(([url]) => url.startsWith(hostile!.origin)).length, URLS);
  assert.equal(fates[hostile!.url('/forbidden/x')], 'skipped/robots-disallowed');
  const cpuSeconds = (user + system) / 1e6;
  assert.ok(cpuSeconds < MAX_CPU_SECONDS, `${cpuSeconds} CPU seconds`);
  t.diagnostic(`${cpuSeconds.toFixed(1)} CPU seconds`);
});
