import { COUNT, counted, listOf, MAYBE_COUNT, MAYBE_TEXT, readingTool, TEXT } from './tool.ts';
import { fitting, url } from './web-text.ts';

const MOST_CHARS = 20_000;

export const listSitesTool = readingTool({
  name: 'list_sites',
  title: 'List the sites of the copy',
  about: 'Lists the hosts of the copy with their numbers of pages, and the counts of the whole copy. Start here.',
  onlyReads: true,
  table: {
    limit: { kind: 'count', about: 'number of hosts', least: 1, most: 200, usual: 50 },
    after: { kind: 'count', about: 'continue: the nextAfter of the last answer', least: 0, most: 1e15, usual: 0 },
  },
  facts: {
    pages: COUNT,
    duplicates: COUNT,
    waiting: COUNT,
    failed: COUNT,
    hosts: COUNT,
    lastVisitAt: MAYBE_TEXT,
    lastChangeSeq: COUNT,
    nextAfter: MAYBE_COUNT,
  },
  web: { sites: listOf({ host: TEXT, pages: COUNT, waiting: COUNT, failed: COUNT }) },
  async run({ store }, { limit, after }) {
    const { states, hosts, retrying } = await store.counts();
    const read = await store.hosts(after, limit + 1);
    const sites = fitting(
      read
        .slice(0, limit)
        .map(({ host, fetched, waiting, failed }) => ({ host: url(host), pages: fetched, waiting, failed })),
      MOST_CHARS,
    );
    const nextAfter = sites.length < read.length ? (read[sites.length - 1]?.id ?? null) : null;
    const lastMs = await store.lastLookMs();
    const facts = {
      pages: states.fetched,
      duplicates: states.duplicate,
      waiting: states.waiting,
      failed: states.failed + retrying,
      hosts,
      lastVisitAt: lastMs === null ? null : new Date(lastMs).toISOString(),
      lastChangeSeq: await store.lastChange(),
      nextAfter,
    };
    const waiting = facts.waiting === 0 ? '' : `; ${counted(facts.waiting, 'URL')} not fetched yet`;
    return {
      facts,
      says: [
        `The copy has ${counted(facts.pages, 'page')} of ${counted(hosts, 'host')}, and ${counted(facts.duplicates, 'duplicate')} of them${waiting}.`,
        ...(facts.lastVisitAt === null ? [] : [`A page was last visited at ${facts.lastVisitAt}.`]),
        ...(nextAfter === null ? [] : [`More hosts: call list_sites with after ${nextAfter}.`]),
      ],
      web: { sites },
      webText: sites
        .map(({ host, pages, waiting, failed }) => `${host}  ${pages} pages, ${waiting} waiting, ${failed} failed`)
        .join('\n'),
    };
  },
});
