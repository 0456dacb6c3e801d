/** The tools that change the copy. They exist only with `--allow-crawl`. */
import { type ArgumentTable, readArguments } from '../tools/arguments.ts';
import { COUNT, counted, TEXT, type ToolAnswer, type ToolDescription } from '../tools/tool.ts';
import type { CrawlJob, CrawlOutcome } from './crawl-job.ts';

const BOUNDS = {
  limit: { kind: 'count', about: 'stop after about so many requests for pages', least: 1, most: 500, usual: 25 },
  seconds: { kind: 'count', about: 'stop after this time', least: 1, most: 600, usual: 30 },
} as const satisfies ArgumentTable;

const FACTS = {
  ending: { type: 'string', description: 'done, limit or time (call again to continue), interrupted, or failed' },
  requested: COUNT,
  newPages: COUNT,
  waiting: COUNT,
} as const;

const CRAWL_TABLE = {
  url: { kind: 'text', about: 'a URL that the copy does not have yet', most: 4_000 },
  ...BOUNDS,
} as const satisfies ArgumentTable;

const REFRESH_TABLE = {
  only: {
    kind: 'text',
    about: 'only this page of the copy (its URL), or this host (as list_sites shows it)',
    most: 4_000,
  },
  ...BOUNDS,
} as const satisfies ArgumentTable;

export const CRAWL_TOOLS: readonly ToolDescription[] = [
  {
    name: 'crawl',
    title: 'Fetch more pages',
    about:
      'Fetches one more URL of a host that the copy already has, and pages that it links to; or, without url, ' +
      'continues the crawl with the URLs that wait. The rules of the crawl hold: a URL that they leave out is refused. ' +
      'It keeps to the delays of the site, so it may take a while; call it again to continue.',
    table: CRAWL_TABLE,
    facts: FACTS,
    web: null,
    onlyReads: false,
  },
  {
    name: 'refresh',
    title: 'Update the copy',
    about:
      'Visits pages of the copy again, the most useful visits first, and notes what changed. Then use list_changes with ' +
      'the number in changesAfter.',
    table: REFRESH_TABLE,
    facts: { ...FACTS, changes: COUNT, changesAfter: COUNT, note: TEXT },
    web: null,
    onlyReads: false,
  },
];

/** The work that a call of one of these tools asks for. */
export function jobOf(tool: string, given: unknown): Pick<CrawlJob, 'kind' | 'target' | 'limit' | 'seconds'> {
  if (tool === 'crawl') {
    const { url: target, ...bounds } = readArguments(CRAWL_TABLE, given);
    return { kind: 'crawl', target, ...bounds };
  }
  const { only: target, ...bounds } = readArguments(REFRESH_TABLE, given);
  return { kind: 'refresh', target, ...bounds };
}

export function crawlAnswer(job: CrawlJob, outcome: CrawlOutcome): ToolAnswer {
  const { requested, newPages, waiting, isStopped, lastChange, lastChangeBefore } = outcome;
  const ending = !isStopped ? outcome.ending : requested >= job.limit ? 'limit' : 'time';
  const counts = { ending, requested, newPages, waiting };
  const visited = `${counted(requested, 'page')} requested, ${newPages} of them new; ${counted(waiting, 'URL')} not fetched yet.`;
  if (job.kind === 'crawl') {
    const next = isStopped && waiting > 0 ? ['Call crawl without url to continue.'] : [];
    return { facts: counts, says: [`${sentence(ending)} ${visited}`, ...next], web: null, webText: '' };
  }
  const changes = lastChange - lastChangeBefore;
  const note = changes === 0 ? 'Nothing has changed.' : `See list_changes with after ${lastChangeBefore}.`;
  return {
    facts: { ...counts, changes, changesAfter: lastChangeBefore, note },
    says: [`${sentence(ending)} ${visited} ${counted(changes, 'change')}. ${note}`],
    web: null,
    webText: '',
  };
}

function sentence(ending: string): string {
  if (ending === 'done') return 'Done.';
  if (ending === 'limit') return 'Stopped at the limit.';
  if (ending === 'time') return 'Stopped because the time was over.';
  return ending === 'failed' ? 'No page could be fetched.' : 'Interrupted; all work is saved.';
}
