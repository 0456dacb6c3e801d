/** Tests refreshes that a program runs on a changing site: the events it receives, and how it ends the refreshes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type CopyChange, openCopy, type RefreshEvent, type RefreshSettings, refresh } from '../../src/index.ts';
import { type LivingSite, startLivingSite } from '../../testbed/web/living-site.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { assertSound, dataFolder } from '../crawl/stored-crawl.ts';

const PAGES = 100;

const page = (title: string, more = ''): string =>
  `<!doctype html><title>${title}</title><h1>${title}</h1><p>An orb web has about thirty radii.</p>${more}`;

async function crawledSite(t: TestContext): Promise<{ site: LivingSite; dir: string; paths: readonly string[] }> {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page/${i}`);
  site.set('/', page('front', paths.map((path) => `<a href="${path}">${path}</a>`).join('\n')));
  for (const path of paths) site.set(path, page(path));
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  site.forget();
  return { site, dir, paths };
}

const asTold = (site: LivingSite, changes: readonly CopyChange[]): string[] =>
  changes.map(({ kind, url }) => `${kind} ${url.replace(site.web.origin, '')}`).sort();

test('every change is returned once, in order, with its difference, and the summary is a promise', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/1', page('another'));
  site.set('/page/2', page('/page/2', '<a href="/new">new</a>'));
  site.set('/page/4', page('/page/4', '<!-- made at noon -->'));
  site.set('/new', page('new'));
  site.pages.set('/page/3', { status: 410 });
  const running = refresh({ dir, patience: '0s' });
  const changes = await Array.fromAsync(running);
  assert.deepEqual(asTold(site, changes), ['changed /page/1', 'changed /page/2', 'gone /page/3', 'new /new']);
  const numbers = changes.map(({ seq }) => seq);
  assert.deepEqual(
    numbers,
    numbers.toSorted((a, b) => a - b),
  );
  const one = changes.find(({ url }) => url.endsWith('/page/1'))!;
  assert.deepEqual([one.title, one.reason, one.archived?.status], ['another', null, 200]);
  assert.ok(one.at instanceof Date && one.archived!.at.getTime() === one.at.getTime());
  assert.ok(one.change!.kinds.includes('text') && one.change!.wordsAdded > 0);
  assert.equal(changes.find(({ kind }) => kind === 'gone')!.reason, 'gone');
  const { ending, changed, gone, noise, new: added } = await running.summary;
  assert.deepEqual([ending, changed, gone, noise, added], ['done', 2, 1, 1, 1]);
  await assertSound(dir);
  assert.deepEqual(
    await Array.fromAsync(refresh({ dir, patience: '0s' })),
    [],
    'each is returned once, by this run or another',
  );
});

test('a change is in the store and the archive before it is returned', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  for (const path of paths.slice(0, 50)) site.set(path, page(`${path}, anew`));
  let checked = 0;
  for await (const { url, title } of refresh({ dir, concurrency: 4 })) {
    await using copy = await openCopy(dir);
    assert.match(await (await copy.page(url))!.text(), new RegExp(`<h1>${title}</h1>`));
    checked++;
  }
  assert.equal(checked, 50);
});

test('noise is returned only on request, and events end with the summary', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/4', page('/page/4', '<!-- made at noon -->'));
  const running = refresh({ dir, tellNoise: true });
  const events: RefreshEvent[] = await Array.fromAsync(running.events());
  const changes = events.flatMap((event) => (event.type === 'change' ? [event.change] : []));
  assert.deepEqual(asTold(site, changes), ['noise /page/4']);
  const last = events.at(-1)!;
  assert.ok(last.type === 'done');
  assert.equal(last.summary, await running.summary);
  assert.throws(() => running.events(), { code: 'ERR_USAGE' });
});

test('a warning is an event', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/4', page('anew'));
  const events = await Array.fromAsync(refresh({ dir, onChange: 'echo heard; exit 0' }).events());
  const messages = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
  assert.deepEqual(messages, ['on-change: heard']);
});

test('watch runs round after round until the loop is left, and everything is saved', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/1', page('first'));
  const heard = process.listenerCount('SIGINT');
  const running = refresh({ dir, watch: true, every: '20ms', due: 0, sources: false });
  const told: string[] = [];
  for await (const { title } of running) {
    assert.equal(process.listenerCount('SIGINT'), heard, 'only the program handles signals');
    told.push(title);
    if (title === 'first') site.set('/page/2', page('second'));
    if (title === 'second') site.set('/page/1', page('third'));
    if (title === 'third') break;
  }
  assert.deepEqual(told, ['first', 'second', 'third']);
  assert.equal((await running.summary).ending, 'interrupted');
  await assertSound(dir);
});

test('a program that starts to read after the refresh has ended gets all changes', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  for (const path of paths) site.set(path, page(`${path}, anew`));
  const running = refresh({ dir });
  assert.equal((await running.summary).changed, PAGES);
  const changes = await Array.fromAsync(running);
  assert.deepEqual(asTold(site, changes), paths.map((path) => `changed ${path}`).sort());
});

test('leaving the loop stops the refresh, and the next one finds the other changes', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  for (const path of paths) site.set(path, page(`${path}, anew`));
  const running = refresh({ dir, concurrency: 2, units: 1 });
  for await (const _ of running) break;
  const { ending, changed } = await running.summary;
  assert.equal(ending, 'interrupted');
  assert.ok(changed > 0 && changed < PAGES, `${changed}`);
  const rest = await Array.fromAsync(refresh({ dir }));
  assert.equal(rest.length, PAGES - changed);
  await assertSound(dir);
});

test('a signal ends the refresh at once and the loop with its reason', async (t) => {
  const { site, dir } = await crawledSite(t);
  site.set('/page/1', page('first'));
  const abort = new AbortController();
  const running = refresh({ dir, watch: true, every: '1h', due: 0, signal: abort.signal });
  const told: string[] = [];
  const enough = new Error('enough');
  const loop = (async () => {
    for await (const { title } of running) {
      told.push(title);
      setImmediate(() => abort.abort(enough));
    }
  })();
  await assert.rejects(loop, enough);
  assert.deepEqual(told, ['first']);
  assert.equal((await running.summary).ending, 'interrupted');
  assert.throws(() => refresh({ dir, signal: abort.signal }), enough);
  await assertSound(dir);
});

test('a refresh can be stopped before it has really started', async (t) => {
  const { site, dir } = await crawledSite(t);
  const running = refresh({ dir });
  running.stop();
  assert.deepEqual(await Array.fromAsync(running), []);
  assert.equal((await running.summary).ending, 'interrupted');
  assert.ok(site.requests < PAGES);
});

test('an error of the refresh is thrown by the loop and by the summary, or becomes a warning if nobody awaits it', async (t) => {
  const dir = dataFolder(t);
  const running = refresh({ dir });
  await assert.rejects(Array.fromAsync(running), { code: 'ERR_NO_CRAWL' });
  await assert.rejects(running.summary, { code: 'ERR_NO_CRAWL' });
  const warned = Promise.withResolvers<Error>();
  process.once('warning', warned.resolve);
  refresh({ dir });
  assert.match((await warned.promise).message, /^a refresh failed: /);
});

/** Settings that TypeScript would also refuse. */
const WRONG: readonly (readonly [Record<string, unknown>, string, RegExp])[] = [
  [{}, 'ERR_BAD_OPTION', /option dir of refresh\(\) needs the path of a folder/],
  [{ dir: 'x', budgets: 1 }, 'ERR_UNKNOWN_OPTION', /refresh\(\) has no option "budgets"; did you mean budget\?/],
  [{ dir: 'x', scope: 'host' }, 'ERR_UNKNOWN_OPTION', /refresh\(\) has no option "scope"/],
  [{ dir: 'x', policy: 'best' }, 'ERR_BAD_OPTION', /option policy of refresh\(\) must be one of adaptive/],
  [{ dir: 'x', every: 30 }, 'ERR_BAD_OPTION', /option every of refresh\(\) needs its unit: write '30ms' or '30s'/],
  [{ dir: 'x', keep: 0 }, 'ERR_BAD_OPTION', /option keep of refresh\(\)/],
  [{ dir: 'x', webhook: 'nowhere' }, 'ERR_BAD_OPTION', /--webhook needs an http or https URL/],
  [{ dir: 'x', ignore: ['#clock'] }, 'ERR_BAD_OPTION', /--ignore needs "host\|selector"/],
  [{ dir: 'x', signal: 'stop' }, 'ERR_BAD_OPTION', /AbortSignal/],
];

for (const [settings, code, message] of WRONG) {
  test(`these settings are refused at once: ${JSON.stringify(settings)}`, () => {
    assert.throws(() => refresh(settings as unknown as RefreshSettings), { code, message });
  });
}

test('a copy returns its changes again, starting after any number', async (t) => {
  const { site, dir, paths } = await crawledSite(t);
  for (const path of paths.slice(0, 5)) site.set(path, page(`${path}, anew`));
  const told = await Array.fromAsync(refresh({ dir }));
  await using copy = await openCopy(dir);
  assert.deepEqual(await Array.fromAsync(copy.changes()), told);
  assert.deepEqual(await Array.fromAsync(copy.changes({ after: told[1]!.seq, limit: 2 })), told.slice(2, 4));
  assert.deepEqual(await Array.fromAsync(copy.changes({ after: told.at(-1)!.seq })), []);
  assert.deepEqual(await Array.fromAsync(copy.changes({ limit: 0 })), []);
  await assert.rejects(copy.changes({ after: -1 }).next(), { code: 'ERR_BAD_OPTION' });
});
