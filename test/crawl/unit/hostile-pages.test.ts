/**
 * Tests pages of 1 MB that were expensive to visit again before the causes were removed. All 1,000 pages of `npm run
 * proof -- hostile-pages` take too long for a test. The CPU time of the thread does not depend on other load on the
 * machine, and the limit is several times what these pages take.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_NOISE_RULES } from '../../../src/change/noise/noise-rules.ts';
import { isCut, readDifference } from '../../../src/change/stored-difference.ts';
import { CpuBudget } from '../../../src/core/cpu-budget.ts';
import { type ClassifiedChange, describeChange } from '../../../src/crawl/unit/change/classify-change.ts';
import { versionOf } from '../../../src/crawl/unit/change/version-of.ts';
import { buildPage, KNOWN_PAGES } from '../../../testbed/web/expensive-pages.ts';

const URL = 'http://hostile.example/page';
const PAGE_BYTES = 1_000_000;
/** One visit may take 3 s. These pages take less than 1 s, and took 5 to 70 s before. */
const MOST_CPU_MS = 3_000;
const KILLERS = [
  'version-urls',
  'script-type-spaces',
  'breaks',
  'templates',
  'late-siblings',
  'broken-utf-8',
  'script-pairs',
];

function look(name: string, budget: CpuBudget): { judged: ClassifiedChange; cpuMs: number } {
  const page = KNOWN_PAGES.find((known) => known.name === name)!;
  const [before, after] = [buildPage(page, PAGE_BYTES, 1), buildPage(page, PAGE_BYTES, 2)];
  const started = process.threadCpuUsage();
  const was = budget.run(() => versionOf(before, page.type, URL));
  const is = budget.run(() => versionOf(after, page.type, URL));
  const judged = describeChange(was, is, DEFAULT_NOISE_RULES, budget);
  const { user, system } = process.threadCpuUsage(started);
  return { judged, cpuMs: (user + system) / 1_000 };
}

for (const name of KILLERS) {
  test(`the comparison of ${name} ends soon, even without the CPU budget`, () => {
    const { judged, cpuMs } = look(name, new CpuBudget(Number.POSITIVE_INFINITY));
    assert.ok(cpuMs < MOST_CPU_MS, `${Math.round(cpuMs)} ms of CPU time`);
    assert.notEqual(judged.change, null);
    assert.equal(judged.isCut, undefined);
  });
}

test('a page that exceeds the CPU budget counts as changed, without a description', () => {
  const { judged } = look('breaks', new CpuBudget(0));
  assert.equal(judged.level, 'content');
  assert.equal(judged.isCut, true);
  assert.equal(isCut(judged.change!), true);
  const { kinds, regions, wordsAdded } = readDifference(judged.change!)!;
  assert.deepEqual({ kinds, regions, wordsAdded }, { kinds: ['other'], regions: [], wordsAdded: 0 });
});
