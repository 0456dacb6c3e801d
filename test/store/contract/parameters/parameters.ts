/** Tests that query parameters that never change the content are learned, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARAMETER_VERDICTS } from '../../../../src/store/contract.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../../fresh-store.ts';
import { type Answers, byPath, HOST, itemPaths, ParameterSite, verdicts } from '../../parameter-site.ts';
import { batchOf, capture, claimOne, found, NOW_MS, page, recordOf, resultOf } from '../../rows.ts';

const BARE = '';
const REFS = ['?ref=a', '?ref=b', '?ref=c'];

export function parametersContract(open: OpenStore): void {
  test('a parameter without effect in eight pairs of three pages is ignored, and the receipt says so', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    const paths = itemPaths([1, 2, 3], [BARE, ...REFS]);
    const receipts = await site.visit(paths, byPath);
    const told = receipts.map(({ lessons }) => verdicts(lessons));
    assert.deepEqual(told.slice(0, -2), Array(paths.length - 2).fill([]), 'seven pairs are not enough');
    assert.deepEqual(told.at(-2), ['/item/* ref ignored'], 'the eighth');
    const [lesson] = await store.lessons(['ignored']);
    assert.deepEqual(lesson, {
      host: HOST,
      space: '/item/*',
      name: 'ref',
      verdict: 'ignored',
      pairs: 8,
      pages: 3,
      audits: 1,
      contradictedBy: null,
    });
  });

  test('many pairs of two pages are not enough', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    const refs = Array.from({ length: 30 }, (_, i) => `?ref=${i}`);
    await site.visit(itemPaths([1, 2], [BARE, ...refs]), byPath);
    assert.deepEqual(await store.lessons(['probed', 'ignored', 'matters']), []);
  });

  test('a page that differs in one byte, even the repeated parameter, proves that the parameter matters', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    const echo: Answers = (path) => (path.endsWith('3?ref=b') ? `${byPath(path)} b` : byPath(path));
    await site.visit(itemPaths([1, 2, 3, 4, 5, 6, 7], [BARE, '?ref=b']), echo);
    await site.visit(itemPaths([8, 9, 10, 11], [BARE, ...REFS]), byPath);
    assert.deepEqual(verdicts(await store.lessons(PARAMETER_VERDICTS)), ['/item/* ref matters']);
  });

  test('the order of pages does not matter: variants first, the URL without the parameter later', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    await site.visit(itemPaths([1, 2, 3, 4], REFS), byPath);
    assert.deepEqual(
      verdicts(await store.lessons(PARAMETER_VERDICTS)),
      ['/item/* ref probed'],
      'whether the page exists without it is not known',
    );
    const receipts = await site.visit(itemPaths([1, 2, 3], [BARE]), byPath);
    assert.deepEqual(verdicts(receipts.at(-1)!.lessons), ['/item/* ref ignored']);
  });

  test('a parameter matters if its pages do not exist without it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    const ticketOnly: Answers = (path) => (path.includes('?') ? byPath(path) : null);
    await site.visit(itemPaths([1, 2, 3, 4], REFS), ticketOnly);
    const [receipt] = await site.visit(['/item/1'], ticketOnly);
    assert.deepEqual(verdicts(receipt!.lessons), ['/item/* ref matters']);
    const late = await freshStore(t, open, NOW_MS);
    await (await ParameterSite.open(late)).visit(itemPaths([1, 2, 3, 4], [BARE, ...REFS]), ticketOnly);
    assert.deepEqual(verdicts(await late.lessons(PARAMETER_VERDICTS)), ['/item/* ref matters']);
  });

  test('a parameter that never matters is learned beside one that does', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    const byPage: Answers = (path) => `page ${/page=(\d+)/.exec(path)?.[1] ?? 1}`;
    const queries = [2, 3, 4, 5].flatMap((n) => [
      `?page=${n}`,
      ...['a', 'b', 'c'].map((ref) => `?page=${n}&ref=${ref}`),
    ]);
    await site.visit(['/list', ...queries.map((query) => `/list${query}`)], byPage);
    assert.deepEqual(verdicts(await store.lessons(['ignored', 'matters'])).sort(), [
      '/list page matters',
      '/list ref ignored',
    ]);
  });

  test('several parameters that never matter are learned together', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    const queries = ['a', 'b', 'c'].flatMap((ref) => ['x', 'y', 'z'].map((lang) => `?ref=${ref}&lang=${lang}`));
    const bare = ['', '?ref=a', '?ref=b', '?lang=x', '?lang=y'];
    await site.visit(itemPaths([1, 2, 3, 4, 5], [...bare, ...queries]), byPath);
    assert.deepEqual(verdicts(await store.lessons(['ignored'])).sort(), [
      '/item/* lang ignored',
      '/item/* ref ignored',
    ]);
  });

  test('content that does not depend on the URL is not evidence', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    await site.visit(itemPaths([1, 2, 3, 4, 5, 6, 7, 8], [BARE, ...REFS]), () => 'Sorry, there is no such page.');
    assert.deepEqual(await store.lessons(['probed', 'ignored']), []);
    // Among real pages, this content does not count: two real pages and many errors are still two pages.
    const mixed: Answers = (path) => (/item\/1[12]\b/.test(path) ? byPath(path) : 'Please log in.');
    const other = await freshStore(t, open, NOW_MS);
    const items = Array.from({ length: 12 }, (_, i) => i + 1);
    await (await ParameterSite.open(other)).visit(itemPaths(items, [BARE, ...REFS]), mixed);
    assert.deepEqual(await other.lessons(['probed', 'ignored']), []);
  });

  test('incomplete pages and empty pages are not evidence', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed(
      itemPaths([1, 2, 3, 4], [BARE, ...REFS]).map((path) => found(HOST + path)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const results = lease.urls.map((task) => {
      const body = byPath(task.url)!;
      return task.url.includes('item/1')
        ? resultOf(lease, task, { page: page('') })
        : resultOf(lease, task, { page: page(body), reason: 'body-too-large' });
    });
    await store.commit(batchOf(results));
    assert.deepEqual(await store.lessons(PARAMETER_VERDICTS), []);
  });

  test('a host that invents parameters or pages cannot fill a table', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed(
      Array.from({ length: 1_500 }, (_, i) => found(`${HOST}/x?p${i}=1`)),
      NOW_MS,
    );
    const lease = await claimOne(store, { urlsPerHost: 2_000 });
    await store.commit(batchOf(lease.urls.map((task) => resultOf(lease, task, { page: page(task.url) }))));
    const held = await store.lessons(PARAMETER_VERDICTS, HOST);
    assert.ok(held.length > 0 && held.length <= 512, `${held.length}`);
  });

  test('a batch that fails teaches nothing, and learning goes on after it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const paths = itemPaths([1, 2, 3], [BARE, ...REFS]);
    await store.seed(
      paths.map((path) => found(HOST + path)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const results = lease.urls.map((task) => resultOf(lease, task, { page: page(byPath(task.url)!) }));
    const bad = { ...results.at(-1)!, capture: capture(0, { file: 'never-named.warc.gz' }) };
    await assert.rejects(store.commit(batchOf([...results.slice(0, -1), bad])), { code: 'ERR_STORE' });
    assert.deepEqual(await store.lessons(PARAMETER_VERDICTS), []);
    const { lessons } = await store.commit(batchOf(results));
    assert.deepEqual(verdicts(lessons), ['/item/* ref ignored']);
  });

  test('lessons and the evidence for them survive a restart', async (t) => {
    const dir = temporaryFolder(t);
    const paths = itemPaths([1, 2, 3], [BARE, ...REFS]);
    const before = await open(dir, NOW_MS);
    const site = await ParameterSite.open(before);
    await site.know(paths);
    await site.visit(paths.slice(0, 7), byPath);
    await site.leave();
    await before.close();
    const after = await open(dir, NOW_MS);
    await (await ParameterSite.open(after)).visit(paths.slice(7), byPath);
    const lessons = await after.lessons(['ignored']);
    assert.deepEqual(verdicts(lessons), ['/item/* ref ignored']);
    await after.close();
    const again = await open(dir, NOW_MS);
    t.after(() => again.close());
    assert.deepEqual(await again.lessons(['ignored']), lessons);
  });

  test('nothing is learned unless the batch asks for it', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed(
      itemPaths([1, 2, 3, 4], [BARE, ...REFS]).map((path) => found(HOST + path)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const results = lease.urls.map((task) => resultOf(lease, task, { page: page(byPath(task.url)!) }));
    await store.commit(batchOf(results, { learnParameters: false }));
    assert.deepEqual(await store.lessons(PARAMETER_VERDICTS), []);
    assert.equal((await recordOf(store, `${HOST}/item/1?ref=a`)).standIn, null);
  });
}
