/**
 * Puts the rules of a run into effect. In: the store, and the rules that were settled from the user's options and the
 * stored rules. Out: the store has the rules, the user knows what has changed, and URLs that only the former rules left
 * out wait again.
 */
import { publish } from '../core/events.ts';
import type { OptionSource } from '../core/options/option-table.ts';
import { refuseMissing, rulesText, type SettledRules, settleRules } from '../core/options/stored-rules.ts';
import type { Store } from '../store/contract.ts';
import { noteRejudge } from './earlier-runs.ts';
import { OLD_ASSIGN_NOTE, RULES_NOTE, readRules } from './place/data-folder.ts';

/** Rules that say which URLs belong to the crawl. */
const URL_RULES: readonly string[] = ['scope', 'include', 'exclude', 'depth', 'guess'];
export const TOPIC_RULES: readonly string[] = ['topic', 'topicExamples', 'topicThreshold', 'topicSteps'];
/** If one of these changes, URLs wait again that may have been found under former rules about URLs. */
const RELEASING_RULES: readonly string[] = [...URL_RULES, ...TOPIC_RULES, 'allowPrivate', 'followActions'];

/** Throws if the run would send requests without a secret that the crawl uses. Writes nothing. */
export async function settleRulesOf(
  store: Pick<Store, 'note'>,
  sources: readonly OptionSource[],
): Promise<SettledRules> {
  const settled = settleRules(sources, await readRules(store));
  refuseMissing(settled.missing);
  return settled;
}

export interface Applying {
  readonly nowMs: number;
  /** Called when the rules are stored, before any URL waits again. */
  readonly announce?: (() => Promise<void>) | undefined;
}

export async function applyRules(store: Store, settled: SettledRules, { nowMs, announce }: Applying): Promise<void> {
  const { options, rules, changes } = settled;
  const isChanged = (names: readonly string[]): boolean => changes.some(({ name }) => names.includes(name));
  let released = 0;
  // Each of these is judged again by the new rules before it is fetched.
  const letIn = async (): Promise<void> => {
    if (!isChanged(URL_RULES)) return;
    released += await store.allowDepth(options.depth, nowMs);
    if (isChanged(['include', 'exclude'])) await store.letWait('excluded', nowMs);
    if (isChanged(['scope'])) await store.letWait('out-of-scope', nowMs);
    if (isChanged(['guess']) && options.guess) released += await store.letWait('guess-unwanted', nowMs);
  };
  // These come before the rules are stored: after a crash in between, the next run sees the change again.
  if (isChanged(TOPIC_RULES)) released += await store.forgetTopic(nowMs);
  if (isChanged(RELEASING_RULES)) await noteRejudge(store);
  await letIn();
  const text = rulesText(rules);
  if ((await store.note(RULES_NOTE)) !== text) await store.setNote(RULES_NOTE, text);
  if (await store.note(OLD_ASSIGN_NOTE)) await store.setNote(OLD_ASSIGN_NOTE, '');
  await announce?.();
  // A worker under the former rules leaves the URLs out again, so these come last, for some of them a second time.
  await letIn();
  if (isChanged(['allowPrivate'])) released += await store.letWait('private-address', nowMs);
  if (isChanged(['followActions']) && options.followActions) released += await store.letWait('action-link', nowMs);
  // A pattern has room again if its budget was raised, or if an earlier run ended before it let all URLs in.
  released += await store.fillBudgets(options.patternBudget, nowMs);
  if (changes.length === 0) return;
  const [urls, are] = released === 1 ? ['URL that was', 'is'] : ['URLs that were', 'are'];
  const again = released === 0 ? '' : `; ${released} ${urls} left out before ${are} tried again`;
  const changed = changes.map((change) => change.text).join(', ');
  publish('crawl/warning', { message: `the rules of this crawl have changed: ${changed}${again}` });
  if (isChanged(['sitemapOnly']) && options.sitemapOnly) await sayWaiting(store);
}

/** Nothing tells whether a sitemap also lists a waiting URL that a link led to, so all of them are fetched. */
async function sayWaiting(store: Pick<Store, 'counts'>): Promise<void> {
  const { waiting } = (await store.counts()).states;
  if (waiting === 0) return;
  const [urls, waits] = waiting === 1 ? ['URL was', 'waits and is'] : ['URLs were', 'wait and are'];
  publish('crawl/warning', {
    message:
      `--sitemap-only follows no more links, but ${waiting} ${urls} found before, still ${waits} fetched; ` +
      'for the pages of sitemaps only, crawl into a new folder',
  });
}
