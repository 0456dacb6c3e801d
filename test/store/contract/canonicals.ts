/**
 * Tests canonical links (C7): a page is a duplicate of the URL that it names only if that URL has a page like it.
 * Whatever is fetched first, the result is the same, and a refresh corrects it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CanonicalVerdict, HostLease, PageRecord, Store, UrlResult } from '../../../src/store/contract.ts';
import { MOST_JUDGED } from '../../../src/store/rules/canonical-rule.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { sketchWith } from '../../content/compare-sketches.ts';
import { countsOf } from '../../content/words-of.ts';
import { freshStore, type OpenStore, temporaryFolder } from '../fresh-store.ts';
import { at, copyOf, type LookedAt } from '../looking-again.ts';
import { allUrls, capture, claimOne, commit, FILE, found, NOW_MS, page, recordOf, resultOf } from '../rows.ts';

const PRINTS = 30;

/** The fingerprints of a text. Texts of different numbers have none in common. */
function printsOf(text: number): number[] {
  return Array.from({ length: PRINTS }, (_, i) => text * 1_000 + i);
}

function sketch(text: number): Uint32Array {
  return sketchWith(printsOf(text));
}

/** The first answer of a URL: a page with this text, or something else. */
interface Answer extends Partial<Omit<UrlResult, 'page'>> {
  readonly text?: number;
  readonly names?: string;
  readonly more?: Partial<PageRecord>;
}

function resultFor(path: string, { text, names, more, ...rest }: Answer): Partial<UrlResult> {
  if (text === undefined) return rest;
  const canonical = names === undefined ? {} : { canonical: found(at(names)) };
  return { page: page(`body of ${path}`, { sketch: sketch(text), ...canonical, ...more }), ...rest };
}

function naming(text: number, names: string, more: Partial<PageRecord> = {}): Answer {
  return { text, names, more };
}

function redirect(path: string): Answer {
  return { state: 'redirect', redirectTo: found(at(path), { hops: 1 }) };
}

/** Commits the answers in this order: each list, or each single path, is a commit. */
async function answered(
  store: Store,
  answers: Readonly<Record<string, Answer>>,
  commits: readonly (string | readonly string[])[],
): Promise<HostLease> {
  await store.seed(
    commits
      .flat()
      .sort()
      .map((path) => found(at(path))),
    NOW_MS,
  );
  const lease = await claimOne(store);
  const tasks = new Map(lease.urls.map((task) => [task.url, task]));
  for (const paths of commits) {
    const results = [paths]
      .flat()
      .map((path) => resultOf(lease, tasks.get(at(path))!, resultFor(path, answers[path]!)));
    const { states } = await commit(store, results);
    assert.ok(states.every((state) => state !== null));
  }
  return lease;
}

/** What each page is: the page that it duplicates, or the verdict on its canonical link, or its state. */
async function standing(store: Store, paths: readonly string[]): Promise<string[]> {
  const records = await Promise.all(paths.map((path) => recordOf(store, at(path))));
  return records.map(({ state, duplicateOf, canonicalVerdict }) => {
    if (duplicateOf !== null) return `${canonicalVerdict} ${duplicateOf.slice(at('').length)}`;
    return canonicalVerdict === null ? state : `${state} ${canonicalVerdict}`;
  });
}

const OTHER = 7;
/** Targets of wrong canonical links: what they answer, and the verdict on the page that names them. */
const wrong = (page: string): readonly (readonly [CanonicalVerdict, Answer])[] => [
  ['target-missing', { state: 'failed', reason: 'not-found' }],
  ['target-failed', { state: 'failed', reason: 'server-error' }],
  ['target-failed', { state: 'failed', reason: 'connect-failed' }],
  ['target-refused', { state: 'skipped', reason: 'robots-disallowed' }],
  ['waiting', { state: 'waiting', reason: 'server-error', failures: 1, dueAtMs: NOW_MS + 1e6 }],
  ['target-redirects-back', redirect(page)],
  ['target-unlike', { text: OTHER }],
  ['target-noindex', { text: 1, more: { noindex: true } }],
  ['too-little-text', { text: 1, more: { sketch: sketchWith(printsOf(1).slice(0, 3)) } }],
  ['too-little-text', { text: 1, more: { sketch: undefined } }],
  ['loop', naming(1, page)],
  ['loop', naming(1, page, { sketch: sketch(OTHER) })],
];

async function refreshed(t: TestContext, open: OpenStore, more: Readonly<Record<string, Answer>> = {}) {
  const store = await freshStore(t, open, NOW_MS);
  const answers = { seed: { text: 3 }, real: { text: 1 }, x: naming(1, 'real'), ...more };
  const copy = await copyOf(
    store,
    Object.fromEntries(
      Object.entries(answers).map(([path, answer]) => {
        const { page: made, ...rest } = resultFor(path, answer);
        return [path, made ? { body: `body of ${path}`, more: made, ...rest } : rest];
      }),
    ),
  );
  return { store, copy };
}

function textOf(text: number, names?: string) {
  return { sketch: sketch(text), ...(names !== undefined && { canonical: found(at(names)) }) };
}

function change(copy: LookedAt, path: string, text: number, names?: string) {
  return copy.look(path, 'changed', { body: `${path} says ${text}`, more: textOf(text, names) });
}

export function canonicalsContract(open: OpenStore): void {
  test('C7 a page waits for its canonical URL, which is made known, and is its duplicate when that has come', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const { hostId } = await answered(store, { x: naming(1, 'real') }, ['x']);
    const { state, reason, canonical, duplicateOf, canonicalVerdict } = await recordOf(store, at('x'));
    assert.deepEqual(
      [state, reason, canonical, duplicateOf, canonicalVerdict],
      ['fetched', null, at('real'), null, 'waiting'],
    );
    const real = await recordOf(store, at('real'));
    assert.deepEqual([real.state, real.via], ['waiting', at('x')]);
    await commit(store, [resultOf({ hostId }, real, resultFor('real', { text: 1 }))]);
    assert.deepEqual(await standing(store, ['x', 'real']), ['believed real', 'fetched']);
    assert.equal((await recordOf(store, at('x'))).reason, 'duplicate-canonical');
    const { states, reasons } = await store.counts();
    assert.deepEqual([states.fetched, states.duplicate, reasons], [1, 1, { 'duplicate-canonical': 1 }]);
  });

  test('C7 a wrong canonical link is kept with the reason, and the page stands for itself, in every order', async (t) => {
    const kinds = wrong('').map(([verdict], i) => ({
      verdict,
      page: `x${i}`,
      target: `t${i}`,
      answer: wrong(`x${i}`)[i]![1],
    }));
    const answers = Object.fromEntries(
      kinds.flatMap(({ page: path, target, answer }) => [
        [path, naming(1, target)],
        [target, answer],
      ]),
    );
    const pages = kinds.map((kind) => kind.page);
    const targets = kinds.map((kind) => kind.target);
    const orders = [[pages, targets], [targets, pages], [[...pages, ...targets]], [[...targets, ...pages]]];
    for (const commits of orders) {
      const store = await freshStore(t, open, NOW_MS);
      await answered(store, answers, commits);
      for (const { page: path, target, verdict } of kinds) {
        const { state, duplicateOf, canonical, canonicalVerdict } = await recordOf(store, at(path));
        const told = [state, duplicateOf, canonical, canonicalVerdict];
        assert.deepEqual(told, ['fetched', null, at(target), verdict], `${path} ${commits}`);
      }
    }
  });

  test('C7 a canonical URL outside the scope is not fetched, and so not believed', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const away = found('http://away.test/', { skip: 'out-of-scope' });
    await answered(store, { x: { text: 1, more: { canonical: away } } }, ['x']);
    assert.deepEqual(await standing(store, ['x']), ['fetched target-out-of-scope']);
    assert.equal((await recordOf(store, at('x'))).canonical, 'http://away.test/');
  });

  test('C7 a page that names itself as canonical is no duplicate', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await answered(store, { x: naming(1, 'x') }, ['x']);
    assert.deepEqual(await standing(store, ['x']), ['fetched']);
  });

  test('C7 a page with the words of its canonical page is its duplicate, whatever its own text is', async (t) => {
    const words = 'Home Contact The tangent of an angle is its sine divided by its cosine';
    const real = { title: 'Tangent', sketch: undefined, wordCounts: countsOf(words) };
    const cases: Record<string, readonly [string, Partial<PageRecord>]> = {
      same: ['believed real', {}],
      sameWithText: ['believed real', { sketch: sketch(1) }],
      longerTitle: ['believed real', { title: 'Tangent (to print)' }],
      printed: ['believed real', { wordCounts: countsOf(words.replace('Home Contact ', '')) }],
      dated: ['believed real', { wordCounts: countsOf(`${words} Printed on 2 May 2025`) }],
      otherTitle: ['fetched too-little-text', { title: 'Cotangent' }],
      noTitle: ['fetched too-little-text', { title: '' }],
      otherWord: ['fetched too-little-text', { wordCounts: countsOf(words.replace('tangent', 'secant')) }],
      ofOlderVersion: ['fetched too-little-text', { wordCounts: undefined }],
    };
    const paths = Object.keys(cases);
    const answers = paths.map((path) => [path, naming(1, 'real', { ...real, ...cases[path]![1] })]);
    const commits = [
      ['real', paths],
      [paths, 'real'],
    ];
    for (const order of commits) {
      const store = await freshStore(t, open, NOW_MS);
      await answered(store, { real: { text: 1, more: real }, ...Object.fromEntries(answers) }, order);
      assert.deepEqual(
        await standing(store, paths),
        paths.map((path) => cases[path]![0]),
      );
    }
  });

  test('C7 a chain of alike pages leads to its last page, and through redirects, in every order', async (t) => {
    const chain: Record<string, Answer> = {
      p1: naming(1, 'p2'),
      p2: naming(1, 'r1'),
      r1: redirect('r2'),
      r2: redirect('p3'),
      p3: naming(1, 'p4'),
      p4: naming(1, 'p5'),
      p5: naming(1, 'p6'),
      p6: { text: 1 },
    };
    const paths = Object.keys(chain);
    const random = new SeededRandom(5);
    const shuffled = () =>
      paths.map((path) => ({ path, place: random.below(1_000) })).sort((a, b) => a.place - b.place);
    const orders = [paths, paths.toReversed(), ...Array.from({ length: 2 }, () => shuffled().map(({ path }) => path))];
    for (const order of orders) {
      const store = await freshStore(t, open, NOW_MS);
      await answered(store, chain, order);
      const pages = paths.filter((path) => path.startsWith('p'));
      assert.deepEqual(await standing(store, pages), [...Array(5).fill('believed p6'), 'fetched'], String(order));
    }
  });

  test('C7 a chain leads to its last good page', async (t) => {
    const ends: [string, Answer][] = [
      ['target-missing', { state: 'failed', reason: 'not-found' }],
      ['target-unlike', { text: OTHER }],
    ];
    for (const [verdict, end] of ends) {
      for (const order of [
        ['x', 'real', 'end'],
        ['end', 'real', 'x'],
        ['x', 'end', 'real'],
      ]) {
        const store = await freshStore(t, open, NOW_MS);
        await answered(store, { x: naming(1, 'real'), real: naming(1, 'end'), end }, order);
        assert.deepEqual(await standing(store, ['x', 'real']), ['believed real', `fetched ${verdict}`], String(order));
      }
    }
  });

  test('C7 a chain of more than ten pages is not believed', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const paths = Array.from({ length: 14 }, (_, i) => `p${String(i).padStart(2, '0')}`);
    const chain = Object.fromEntries(paths.map((path, i) => [path, i < 13 ? naming(1, paths[i + 1]!) : { text: 1 }]));
    await answered(store, chain, [paths]);
    const verdicts = await standing(store, paths);
    assert.deepEqual(verdicts.slice(0, 3), Array(3).fill('fetched loop'));
    assert.deepEqual(verdicts.slice(3), [...Array(10).fill('believed p13'), 'fetched']);
  });

  test('C7 of pages with the same content, the canonical one is the original, in every order', async (t) => {
    const same = { digest: page('same').digest, bytes: 4 };
    const answers = { x: naming(1, 'real', same), y: naming(1, 'real', same), real: { text: 1, more: same } };
    for (const order of [
      ['x', 'y', 'real'],
      ['real', 'x', 'y'],
      ['y', 'real', 'x'],
    ]) {
      const store = await freshStore(t, open, NOW_MS);
      await answered(store, answers, order);
      assert.deepEqual(await standing(store, ['x', 'y', 'real']), ['believed real', 'believed real', 'fetched']);
      const { states } = await store.counts();
      assert.deepEqual([states.fetched, states.duplicate], [1, 2], String(order));
    }
  });

  test('C7 a page follows its canonical page to the original of that content', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    const same = { digest: page('same').digest, bytes: 4 };
    const answers = { first: { text: 1, more: same }, real: { text: 1, more: same }, x: naming(1, 'real') };
    await answered(store, answers, ['first', 'real', 'x']);
    assert.deepEqual(await standing(store, ['first', 'real', 'x']), ['fetched', 'null first', 'believed first']);
  });

  test('C7 a canonical page that resembles the page that names it is no near duplicate of that page', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(at('x')), found(at('real')), found(at('y'))], NOW_MS);
    const lease = await claimOne(store);
    const results = [
      resultFor('x', naming(1, 'real')),
      resultFor('real', { text: 1 }),
      resultFor('y', naming(1, 'real')),
    ];
    for (const [i, result] of results.entries()) {
      await commit(store, [resultOf(lease, lease.urls[i]!, result)], { nearDuplicate: 0.8 });
    }
    assert.deepEqual(await standing(store, ['x', 'real', 'y']), ['believed real', 'fetched', 'believed real']);
    const { reason, nearDuplicateOf } = await recordOf(store, at('real'));
    assert.deepEqual([reason, nearDuplicateOf], [null, null]);
    assert.deepEqual((await store.counts()).reasons, { 'duplicate-canonical': 2 });
  });

  test('C7 E5 a near duplicate can be a canonical page', async (t) => {
    const store = await freshStore(t, open, NOW_MS);
    await store.seed([found(at('leader')), found(at('real')), found(at('x'))], NOW_MS);
    const lease = await claimOne(store);
    const results = [
      resultFor('leader', { text: 1 }),
      resultFor('real', { text: 1 }),
      resultFor('x', naming(1, 'real')),
    ];
    for (const [i, result] of results.entries()) {
      await commit(store, [resultOf(lease, lease.urls[i]!, result)], { nearDuplicate: 0.8 });
    }
    assert.equal((await recordOf(store, at('real'))).nearDuplicateOf, at('leader'));
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
  });

  test('C7 a refresh judges a page again when its canonical page changes, leaves or comes back', async (t) => {
    const { store, copy } = await refreshed(t, open);
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
    await change(copy, 'real', OTHER);
    assert.deepEqual(await standing(store, ['x']), ['fetched target-unlike']);
    await change(copy, 'real', 1);
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
    await copy.look('real', 'failing', { reason: 'server-error' });
    assert.deepEqual(await standing(store, ['x']), ['believed real'], 'the copy keeps a page that fails');
    await copy.look('real', 'gone', { reason: 'not-found' });
    assert.deepEqual(await standing(store, ['x']), ['fetched target-missing']);
    await change(copy, 'real', 1);
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
    await copy.look('real', 'refused', { reason: 'robots-disallowed' });
    assert.deepEqual(await standing(store, ['x']), ['fetched target-refused']);
    await change(copy, 'real', 1);
    await copy.look('real', 'moved', { redirectTo: found(at('seed')) });
    assert.deepEqual(await standing(store, ['x']), ['fetched target-unlike']);
    await change(copy, 'seed', 1);
    assert.deepEqual(await standing(store, ['x']), ['believed seed']);
  });

  test('C7 a refresh judges a page again when the page itself changes', async (t) => {
    const { store, copy } = await refreshed(t, open);
    await change(copy, 'x', OTHER, 'real');
    assert.deepEqual(await standing(store, ['x']), ['fetched target-unlike']);
    await change(copy, 'x', 1, 'real');
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
    await change(copy, 'x', 1);
    assert.deepEqual(await standing(store, ['x']), ['fetched']);
    await change(copy, 'real', 1, 'x');
    assert.deepEqual(await standing(store, ['x', 'real']), ['fetched', 'believed x']);
    await change(copy, 'x', 2, 'real');
    assert.deepEqual(await standing(store, ['x', 'real']), ['fetched loop', 'fetched loop']);
    await change(copy, 'real', 2);
    assert.deepEqual(await standing(store, ['x', 'real']), ['believed real', 'fetched']);
  });

  test('C7 when a redirect leads elsewhere, the pages that name it are judged again', async (t) => {
    const { store, copy } = await refreshed(t, open, { old: redirect('real'), y: naming(1, 'old') });
    assert.deepEqual(await standing(store, ['y']), ['believed real']);
    await copy.look('old', 'moved', { redirectTo: found(at('seed')) });
    assert.deepEqual(await standing(store, ['y']), ['fetched target-unlike']);
    await copy.look('old', 'moved', { redirectTo: found(at('real')) });
    assert.deepEqual(await standing(store, ['y']), ['believed real']);
    await copy.look('old', 'gone', { reason: 'not-found' });
    assert.deepEqual(await standing(store, ['y']), ['fetched target-missing']);
  });

  test('C7 pages that follow a page are led on when that page becomes a duplicate itself, and back', async (t) => {
    const { store, copy } = await refreshed(t, open, { last: { text: 1 } });
    await change(copy, 'real', 1, 'last');
    assert.deepEqual(await standing(store, ['x', 'real']), ['believed last', 'believed last']);
    await change(copy, 'last', OTHER);
    assert.deepEqual(await standing(store, ['x', 'real']), ['believed real', 'fetched target-unlike']);
  });

  test('C7 when the archive loses a canonical page, the page that names it stands for itself until it is back', async (t) => {
    const { store, copy } = await refreshed(t, open);
    const archive = { archive: new Map([[FILE, 200]]) };
    const seen = { body: 'real says 1', more: textOf(1), capture: capture(100) };
    await copy.look('real', 'changed', seen, archive);
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
    assert.equal(await store.forgetCaptures(FILE, 150, copy.nowMs), 1);
    assert.deepEqual(await standing(store, ['x']), ['fetched waiting']);
    await commit(store, [resultOf(copy, { id: copy.id('real') }, resultFor('real', { text: 1 }))]);
    assert.deepEqual(await standing(store, ['x']), ['believed real']);
  });

  test('C7 many pages that name one URL are judged in parts, also after a restart', async (t) => {
    const dir = temporaryFolder(t);
    const store = await open(dir, NOW_MS);
    const count = 2 * MOST_JUDGED + 10;
    const paths = Array.from({ length: count }, (_, i) => `p${i}`);
    await store.seed(
      ['real', ...paths].map((path) => found(at(path))),
      NOW_MS,
    );
    const lease = await claimOne(store, { urlsPerHost: count + 1, leaseMs: 1e9 });
    const tasks = new Map(lease.urls.map((task) => [task.url, task]));
    const resultAt = (path: string, answer: Answer) => resultOf(lease, tasks.get(at(path))!, resultFor(path, answer));
    await commit(
      store,
      paths.map((path) => resultAt(path, naming(1, 'real'))),
    );
    const { canonicalsLeft } = await commit(store, [resultAt('real', { text: 1 })]);
    assert.equal(canonicalsLeft, true);
    assert.equal((await store.counts()).states.duplicate, MOST_JUDGED);
    await store.close();
    const again = await open(dir, NOW_MS);
    t.after(() => again.close());
    const left: boolean[] = [];
    do left.push(await again.settleCanonicals(NOW_MS));
    while (left.at(-1));
    assert.deepEqual(left, [true, false]);
    const { states, reasons } = await again.counts();
    assert.deepEqual([states.fetched, states.duplicate], [1, count]);
    assert.deepEqual(reasons, { 'duplicate-canonical': count });
    assert.equal(await again.settleCanonicals(NOW_MS), false);
  });

  test('C7 random links and answers give the same result in every order', async (t) => {
    for (let seed = 1; seed <= 3; seed++) {
      const random = new SeededRandom(seed);
      const paths = Array.from({ length: 14 }, (_, i) => `p${i}`);
      const answers: Record<string, Answer> = {};
      for (const path of paths) {
        const kind = random.below(10);
        const other = random.pick(paths.filter((each) => each !== path));
        // Redirects lead to later pages only, because a loop of redirects is another failure in another order.
        const later = paths.slice(paths.indexOf(path) + 1);
        if (kind === 0) answers[path] = { state: 'failed', reason: 'not-found' };
        else if (kind === 1 && later.length > 0) answers[path] = redirect(random.pick(later));
        else answers[path] = kind < 8 ? naming(1 + random.below(2), other) : { text: 1 + random.below(2) };
      }
      const results: unknown[] = [];
      for (let turn = 0; turn < 3; turn++) {
        const store = await freshStore(t, open, NOW_MS);
        const order = paths.map((path) => ({ path, place: random.below(10_000) })).sort((a, b) => a.place - b.place);
        const shuffled = order.map(({ path }) => path);
        await answered(store, answers, turn === 2 ? [shuffled] : shuffled);
        results.push(await standing(store, paths));
        const records = new Map((await allUrls(store)).map((record) => [record.url, record]));
        for (const { duplicateOf } of records.values()) {
          if (duplicateOf !== null) assert.equal(records.get(duplicateOf)!.state, 'fetched');
        }
      }
      assert.deepEqual(results[1], results[0], `seed ${seed}`);
      assert.deepEqual(results[2], results[0], `seed ${seed}`);
    }
  });
}
