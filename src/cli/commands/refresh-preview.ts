/**
 * `refresh --dry-run`: shows which pages would be visited and why, from the store alone. Watchers, sitemaps and feeds
 * are not asked, so their current reports are not part of the preview.
 */
import type { SettledRules } from '../../core/options/stored-rules.ts';
import { columns, count, percent, safeText, timeText } from '../../core/text/readable.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { withStoreAt } from '../../crawl/place/open-store.ts';
import { RefreshPlan } from '../../crawl/refresh/refresh-plan.ts';
import { noiseBookOf } from '../../crawl/unit/change/noise-options.ts';
import { coveredBefore } from '../../crawl/watchers/covered-pages.ts';
import type { Store } from '../../store/contract.ts';
import { printJson, printLines } from '../output.ts';

export interface PlannedRow {
  readonly url: string;
  /** Estimated chance that the page has changed since the last visit. */
  readonly chance: number;
  /** Whether the longest interval has passed since the last visit. */
  readonly overdue: boolean;
  readonly checkedAt: string | null;
  readonly checks: number;
}

export async function previewRefresh(
  place: CrawlPlace,
  { refresh, options }: SettledRules,
  rows: number,
  json: boolean,
): Promise<void> {
  noiseBookOf(refresh);
  await withStoreAt(place, async (store) => {
    const refreshPlan = new RefreshPlan(store, refresh);
    const led = options.watchers ? await coveredBefore(store) : null;
    if (led !== null) refreshPlan.leaveTo(led);
    const plan = await refreshPlan.preview(Date.now());
    const looks: { id: number; chance: number; forced: boolean }[] = [];
    for (const look of plan) {
      if (looks.length === rows) break;
      looks.push(look);
    }
    const pages = await rowsOf(store, looks);
    if (json) printJson({ planned: plan.length, overdue: plan.forced, pages });
    else printLines([...linesOf(pages, plan), ...copyLine(refreshPlan)]);
  });
}

async function rowsOf(
  store: Store,
  looks: readonly { id: number; chance: number; forced: boolean }[],
): Promise<PlannedRow[]> {
  const records = new Map((await store.records(looks.map(({ id }) => id))).map((record) => [record.id, record]));
  return looks.flatMap(({ id, chance, forced }) => {
    const record = records.get(id);
    if (!record) return [];
    const { url, checkedAtMs, checks } = record;
    const checkedAt = checkedAtMs === null ? null : new Date(checkedAtMs).toISOString();
    return [{ url, chance: Number(chance.toFixed(4)), overdue: forced, checkedAt, checks }];
  });
}

function copyLine({ copies: { leftOut } }: RefreshPlan): string[] {
  return leftOut === 0 ? [] : [`${count(leftOut)} copies of other pages are left out, except for spot checks.`];
}

function linesOf(pages: readonly PlannedRow[], plan: { readonly length: number; readonly forced: number }): string[] {
  if (plan.length === 0) return ['No page is due.'];
  const rows = pages.map(({ url, chance, overdue, checkedAt, checks }) => [
    overdue ? 'overdue' : percent(chance),
    checkedAt === null ? '' : timeText(Date.parse(checkedAt)),
    checks,
    safeText(url),
  ]);
  const more = plan.length - pages.length;
  return [
    `${count(plan.length)} pages would be visited, ${count(plan.forced)} of them overdue; best first:`,
    ...columns([['chance', 'last visit', 'checks', 'page'], ...rows]),
    ...(more > 0 ? [`and ${count(more)} more (--show ${count(plan.length).replaceAll(',', '')})`] : []),
    'Watchers, sitemaps and feeds were not asked, so their newest reports are not part of this preview.',
  ];
}
