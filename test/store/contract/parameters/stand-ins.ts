/**
 * Tests the effects of an ignored parameter, and how they are undone: no URL is
 * lost, whether the lesson is right or wrong.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { freshStore, type OpenStore } from '../../fresh-store.ts';
import { byPath, HOST, itemPaths, ParameterSite, verdicts } from '../../parameter-site.ts';
import { found, NOW_MS } from '../../rows.ts';

const LESSON = itemPaths([1, 2, 3], ['', '?ref=a', '?ref=b', '?ref=c']);

export function standInsContract(open: OpenStore): void {
  /** A store that ignores `ref` at `/item/*`. */
  const learned = async (t: TestContext) => {
    const store = await freshStore(t, open, NOW_MS);
    const site = await ParameterSite.open(store);
    await site.visit(LESSON, byPath);
    assert.deepEqual(verdicts(await store.lessons(['ignored'])), ['/item/* ref ignored']);
    return { store, site };
  };

  test('a link with an ignored parameter is skipped, and its stand-in waits', async (t) => {
    const { store, site } = await learned(t);
    const { states } = await site.linkLeftOut('/from', '/item/9?ref=a', '/item/9');
    assert.deepEqual(states, ['fetched']);
    assert.equal(await site.fate('/item/9?ref=a'), 'skipped/ignored-parameter');
    assert.equal(await site.fate('/item/9'), 'waiting');
    assert.equal(await site.standIn('/item/9?ref=a'), '/item/9');
    assert.equal((await store.counts()).reasons['ignored-parameter'], 1);
  });

  test('a URL that the user names is fetched, although it had a stand-in', async (t) => {
    const { store, site } = await learned(t);
    await site.linkLeftOut('/from', '/item/9?ref=a', '/item/9');
    await store.seed([found(`${HOST}/item/9?ref=a`)], NOW_MS);
    assert.equal(await site.fate('/item/9?ref=a'), 'waiting');
    assert.equal((await store.counts()).reasons['ignored-parameter'] ?? 0, 0);
  });

  test('a link is not skipped without a lesson or without a stand-in', async (t) => {
    const { site } = await learned(t);
    await site.linkLeftOut('/from1', '/other/9?ref=a', '/other/9');
    assert.equal(await site.fate('/other/9?ref=a'), 'waiting');
    await site.linkLeftOut('/from2', '/item/9?ref=a', null);
    assert.equal(await site.fate('/item/9?ref=a'), 'waiting');
  });

  test('a URL that already waits is skipped when it is due, and its stand-in becomes known', async (t) => {
    const { site } = await learned(t);
    await site.know(['/item/9?ref=a']);
    assert.deepEqual((await site.leaveOut('/item/9?ref=a', '/item/9')).states, ['skipped']);
    assert.equal(await site.fate('/item/9'), 'waiting');
    assert.equal(await site.standIn('/item/9?ref=a'), '/item/9');
  });

  for (const order of [
    ['/item/9', '/item/9?ref=audit'],
    ['/item/9?ref=audit', '/item/9'],
  ]) {
    test(`an equal spot check is counted, and a different one undoes the lesson (${order[0]} first)`, async (t) => {
      const { store, site } = await learned(t);
      const [{ audits: before } = { audits: 0 }] = await store.lessons(['ignored']);
      await site.visit(order, byPath);
      assert.equal((await store.lessons(['ignored']))[0]?.audits, before + 1);

      await site.linkLeftOut('/from', '/item/8?ref=a', '/item/8');
      await site.know(['/item/7?ref=b']);
      await site.leaveOut('/item/7?ref=b', '/item/7');
      await site.linkLeftOut('/other', '/other/1?ref=a', '/other/1');
      const wrong = order.map((path) => path.replace('9', '5'));
      const receipts = await site.visit(wrong, (path) => path);
      const { lessons, released } = receipts.at(-1)!;
      assert.deepEqual(verdicts(lessons), ['/item/* ref matters']);
      assert.equal(lessons[0]?.contradictedBy, HOST + wrong[1]);
      assert.deepEqual([...released], [[HOST, 2]]);
      for (const path of ['/item/8?ref=a', '/item/7?ref=b']) {
        assert.equal(await site.fate(path), 'waiting');
        assert.equal(await site.standIn(path), null);
      }
      const { states, reasons } = await store.counts();
      assert.equal(states.skipped, 0);
      assert.equal(reasons['ignored-parameter'], undefined);
      await site.visit(itemPaths([21, 22, 23, 24], ['', '?ref=a', '?ref=b', '?ref=c']), byPath);
      assert.deepEqual(await store.lessons(['probed', 'ignored']), [], 'once is enough, for good');
    });
  }

  test('a URL that a unit omits because of an ended lesson waits', async (t) => {
    const { site } = await learned(t);
    await site.know(['/item/9?ref=a']);
    await site.visit(['/item/5', '/item/5?ref=audit'], (path) => path);
    const { states, lessons } = await site.leaveOut('/item/9?ref=a', '/item/9');
    assert.deepEqual(states, [null]);
    assert.deepEqual(verdicts(lessons), ['/item/* ref matters'], 'and the unit is told');
    assert.equal(await site.fate('/item/9?ref=a'), 'waiting');
    await site.linkLeftOut('/from', '/item/9?ref=b', '/item/9');
    assert.equal(await site.fate('/item/9?ref=b'), 'waiting');
    assert.deepEqual(await site.audits(), []);
  });

  test('if a stand-in fails, one URL of its kind is fetched; if it fails too, the others stay skipped', async (t) => {
    const { store, site } = await learned(t);
    await site.linkLeftOut('/from1', '/item/9?ref=a', '/item/9');
    await site.linkLeftOut('/from2', '/item/9?ref=b', '/item/9');
    const [failed] = await site.visit(['/item/9'], () => null);
    assert.deepEqual([...failed!.released], [[HOST, 1]]);
    assert.deepEqual(await site.audits(), ['/item/9?ref=a']);
    // While that URL is handed out, another variant of the same page is not needed.
    await site.linkLeftOut('/from3', '/item/9?ref=c', '/item/9');
    assert.equal(await site.fate('/item/9?ref=c'), 'skipped/ignored-parameter');
    await site.visit(['/item/9?ref=a'], () => null);
    assert.deepEqual(verdicts(await store.lessons(['ignored'])), ['/item/* ref ignored']);
    assert.equal(await site.fate('/item/9?ref=b'), 'skipped/ignored-parameter');
    assert.deepEqual(await site.audits(), []);
  });

  test('if a stand-in fails and a URL of its kind has a page, the lesson is undone', async (t) => {
    const { store, site } = await learned(t);
    await site.linkLeftOut('/from1', '/item/9?ref=a', '/item/9');
    await site.linkLeftOut('/from2', '/item/9?ref=b', '/item/9');
    await site.visit(['/item/9'], () => null);
    const [receipt] = await site.visit(['/item/9?ref=a'], byPath);
    assert.deepEqual(verdicts(receipt!.lessons), ['/item/* ref matters']);
    assert.equal(await site.fate('/item/9?ref=b'), 'waiting');
    assert.equal((await store.counts()).states.skipped, 0);
  });

  test('a stand-in that failed earlier is doubted when the first URL would be skipped for it', async (t) => {
    const { site } = await learned(t);
    await site.visit(['/item/8', '/item/9'], () => null);
    await site.linkLeftOut('/from', '/item/9?ref=a', '/item/9');
    assert.equal(await site.fate('/item/9?ref=a'), 'waiting');
    await site.know(['/item/8?ref=a']);
    const { states, released } = await site.leaveOut('/item/8?ref=a', '/item/8');
    assert.deepEqual(states, [null]);
    assert.ok(released.has(HOST), 'the host has something to hand out');
    assert.deepEqual((await site.audits()).sort(), ['/item/8?ref=a', '/item/9?ref=a']);
  });

  test('each of several ignored parameters is undone by a spot check with different content', async (t) => {
    const { store, site } = await learned(t);
    await site.visit(itemPaths([11, 12, 13], ['', '?tag=a', '?tag=b', '?tag=c']), byPath);
    assert.equal((await store.lessons(['ignored'])).length, 2);
    await site.linkLeftOut('/from', '/item/9?ref=a', '/item/9');
    await site.visit(['/item/5', '/item/5?ref=1&tag=2'], (path) => path);
    assert.deepEqual(await store.lessons(['ignored']), []);
    assert.equal(await site.fate('/item/9?ref=a'), 'waiting');
  });

  test('all lessons can be dropped: skipped URLs wait again, and no URL is held back', async (t) => {
    const { store, site } = await learned(t);
    await site.linkLeftOut('/from', '/item/9?ref=a', '/item/9');
    assert.equal(await store.dropLessons(NOW_MS), 1);
    assert.equal(await site.fate('/item/9?ref=a'), 'waiting');
    assert.deepEqual(await store.lessons(['open', 'probed', 'ignored', 'matters']), []);
    assert.equal((await store.counts()).states.skipped, 0);
    assert.equal(await store.dropLessons(NOW_MS), 0);
  });
}
