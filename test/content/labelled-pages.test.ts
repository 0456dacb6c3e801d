/** E5 how well duplicates are found on labelled pages: from the HTML to the answer of the store. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { sketchOwnText } from '../../src/content/own-text.ts';
import { Template } from '../../src/content/template/template.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import type { UrlRecord } from '../../src/store/contract.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../src/url/host.ts';
import { freshStore } from '../store/fresh-store.ts';
import { allUrls, claimOne, commit, found, NOW_MS, page, resultOf } from '../store/rows.ts';
import { KINDS, type LabelledPage, labelledPages } from './labelled-pages.ts';
import { pageOf } from './words-of.ts';

const { nearDuplicate } = resolveOptions([]);
const PAGES_A_COMMIT = 20;
const SEEDS = [2, 3, 4];

/** Sketches pages in the order of the calls, as a crawl does. */
function sketcher(): (page: LabelledPage) => { sketch?: Uint32Array } {
  const templates = new Map<string, Template>();
  return ({ html, url }) => {
    const host = hostOf(url);
    const template = templates.get(host) ?? new Template();
    templates.set(host, template);
    const words = pageOf(html);
    return sketchOwnText(words, template.learn(url, words).marks);
  };
}

/** Commits the pages in order and returns the record that the store has for each page. */
async function judged(t: TestContext, pages: readonly LabelledPage[]): Promise<readonly UrlRecord[]> {
  const store = await freshStore(t, openSqliteStore, NOW_MS);
  await store.seed(
    pages.map((_, i) => found(`http://pages.test/${i}`)),
    NOW_MS,
  );
  const sketched = sketcher();
  const lease = await claimOne(store, { urlsPerHost: pages.length });
  for (let from = 0; from < pages.length; from += PAGES_A_COMMIT) {
    const results = pages.slice(from, from + PAGES_A_COMMIT).map((labelled, i) => {
      const facts = { digest: hash('sha256', labelled.html, 'hex'), ...sketched(labelled) };
      return resultOf(lease, { id: lease.urls[from + i]!.id }, { page: page(labelled.html, facts) });
    });
    await commit(store, results, { nearDuplicate });
  }
  return allUrls(store);
}

test('E5 near duplicates of the labelled pages: F1 at least 0.97, and no exact duplicate missed', async (t) => {
  const counts = Object.fromEntries(KINDS.map((kind) => [kind, { pages: 0, right: 0, missed: 0, wrong: 0 }]));
  let exact = 0;
  for (const seed of SEEDS) {
    const pages = labelledPages(seed);
    const records = await judged(t, pages);
    const seen = new Map<string, string[]>();
    for (const [i, { kind, family, html }] of pages.entries()) {
      const record = records[i]!;
      const before = seen.get(family) ?? [];
      seen.set(family, [...before, html]);
      if (before.includes(html)) {
        assert.equal(record.reason, 'duplicate-content', `${record.url}, ${kind} of ${family}`);
        exact++;
        continue;
      }
      const said =
        record.nearDuplicateOf === null ? null : pages[Number(record.nearDuplicateOf.split('/').at(-1))]!.family;
      const count = counts[kind]!;
      count.pages++;
      if (said === family) count.right++;
      else if (said !== null) count.wrong++;
      if (said !== family && before.length > 0) count.missed++;
    }
  }
  const all = Object.values(counts);
  const sum = (name: 'right' | 'missed' | 'wrong') => all.reduce((total, count) => total + count[name], 0);
  const precision = sum('right') / (sum('right') + sum('wrong'));
  const recall = sum('right') / (sum('right') + sum('missed'));
  const f1 = (2 * precision * recall) / (precision + recall);
  t.diagnostic(`${exact} exact duplicates, ${sum('right') + sum('missed')} near ones`);
  t.diagnostic(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}`);
  for (const [kind, { pages, right, missed, wrong }] of Object.entries(counts)) {
    t.diagnostic(`${kind}: ${pages} pages, ${right} right, ${missed} missed, ${wrong} wrong`);
  }
  assert.ok(exact > 150 && sum('right') > 600, 'the set is not too small to say anything');
  assert.ok(f1 >= 0.97, `F1 is ${f1}`);
});
