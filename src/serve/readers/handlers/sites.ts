/** Hosts, folders, lists of URLs, and URLs that were not fetched. */
import { NoiseEvidence } from '../../../change/evidence/noise-evidence.ts';
import { Template } from '../../../content/template/template.ts';
import { readLinks } from '../../../copy/read-links.ts';
import type { Folder } from '../../../copy/survey/survey.ts';
import { robotsState } from '../../../copy/url-facts.ts';
import { REASONS, type Reason } from '../../../core/reasons.ts';
import { verdictOn } from '../../../crawl/watchers/trust-rule.ts';
import { type HostRecord, PARAMETER_VERDICTS, type UrlGlance } from '../../../store/contract.ts';
import type { Broken, HostDetail, HostList, Skipped, Tree, UrlList } from '../../contract/sites.ts';
import { ApiError } from '../../http/api-error.ts';
import type { Handlers } from '../answer-route.ts';
import type { OpenCopy } from '../open-copies.ts';
import { optionFor } from './reason-options.ts';
import { iso, isoOrNull } from './times.ts';

const HOSTS_SHOWN = 50;
const MOST_ROBOTS_CHARS = 200_000;
const MOST_IGNORED = 200;
const MOST_PARAMETERS = 200;
const MOST_MIRRORS = 100;
const MOST_ROWS = 2_000;
const URLS_SHOWN = 50;
const URLS_PER_READ = 2_000;
const SEARCH_WITHIN_MS = 150;
const BROKEN_SHOWN = 20;
const FROM_SHOWN = 3;

export const handlers: Handlers = {
  listHosts: async ({ open, query }) => {
    const { search = '', sort = 'pages', offset = 0, limit = HOSTS_SHOWN } = query;
    const wanted = search.toLowerCase();
    const found = (await open.hosts()).filter(({ host }) => host.includes(wanted));
    const sorted = found.toSorted(
      (left, right) => sortValue(right, sort) - sortValue(left, sort) || (left.host < right.host ? -1 : 1),
    );
    return { hosts: sorted.slice(offset, offset + limit).map(toRow), total: found.length } satisfies HostList;
  },

  getHost: async ({ open, params }) => {
    const { store } = open;
    const record = await store.host(params.host!);
    if (record === null) throw new ApiError('NOT_FOUND', `the copy does not know the host ${params.host}`);
    const { host, robots } = record;
    const watcher = (await store.watchers()).find((one) => one.host === host && one.readAtMs > 0);
    const source = (await store.sources()).find((one) => one.host === host);
    const [template, noise] = await Promise.all([store.template(host), store.noiseEvidence(host)]);
    const evidence = noise === null ? null : new NoiseEvidence(noise);
    const lessons = await store.lessons(PARAMETER_VERDICTS, host);
    const mirrors = (await store.mirrors()).filter((pair) => pair.host === host || pair.of === host);
    return {
      host: toRow(record),
      robots: robots && {
        status: robots.status,
        at: iso(robots.fetchedAtMs),
        text: robots.body.slice(0, MOST_ROBOTS_CHARS),
        isCut: robots.body.length > MOST_ROBOTS_CHARS,
      },
      watcher: watcher
        ? { url: watcher.url, readAt: isoOrNull(watcher.readAtMs), verdict: verdictOn(watcher), ...outcomesOf(watcher) }
        : null,
      sources: source ? { verdict: verdictOn(source), ...outcomesOf(source) } : null,
      sitemaps: sitemapsIn(robots?.body ?? ''),
      parameters: lessons
        .slice(0, MOST_PARAMETERS)
        .map(({ space, name, verdict, pages }) => ({ space, name, verdict, pages })),
      template: template && { pages: Template.decode(template).pages, bytes: template.length },
      noise: evidence && {
        secondLooks: evidence.doubleLooks,
        ignored: evidence
          .ignored(Date.now())
          .slice(0, MOST_IGNORED)
          .map(({ path }) => path),
      },
      mirrors: mirrors.slice(0, MOST_MIRRORS),
    } satisfies HostDetail;
  },

  getTree: async ({ open, query }) => {
    const { host, folder: path = '/' } = query;
    if (!path.startsWith('/') || !path.endsWith('/'))
      throw new ApiError('BAD_REQUEST', 'folder must begin and end with a slash');
    const survey = await open.survey();
    const folder = survey.folderAt(host, path);
    const isDone = survey.endedAtMs !== null;
    if (folder === null && isDone) throw new ApiError('NOT_FOUND', `${host} has no folder ${path}`);
    const children = [...(folder?.children?.values() ?? [])].sort((left, right) => right.urls - left.urls);
    const files = folder === null ? [] : await open.store.glancesOf(folder.ids);
    const rows = [...children.map(toFolderRow), ...files.map(toFileRow)];
    const own = (folder?.urls ?? 0) - children.reduce((sum, { urls }) => sum + urls, 0);
    return {
      ...{ host, folder: path },
      rows: rows.slice(0, MOST_ROWS),
      isComplete: isDone && rows.length <= MOST_ROWS && files.length >= own,
      countedAt: isoOrNull(survey.endedAtMs),
    } satisfies Tree;
  },

  listUrls: async ({ open, query }) => {
    const { limit = URLS_SHOWN, state, reason, host } = query;
    const isWanted = (glance: UrlGlance): boolean =>
      (state === undefined || glance.state === state) &&
      (reason === undefined || glance.reason === reason) &&
      (host === undefined || glance.host === host);
    const found: UrlGlance[] = [];
    const endsAtMs = performance.now() + SEARCH_WITHIN_MS;
    let after = query.after ?? 0;
    for (;;) {
      const some = await open.store.glances(after, URLS_PER_READ);
      if (some.length === 0) return { urls: await toUrlRows(open, found), next: null } satisfies UrlList;
      for (const glance of some) {
        after = glance.id;
        if (isWanted(glance)) found.push(glance);
        if (found.length === limit) break;
      }
      if (found.length < limit && performance.now() < endsAtMs) continue;
      return { urls: await toUrlRows(open, found), next: after } satisfies UrlList;
    }
  },

  getSkipped: async ({ open }) => {
    const survey = await open.survey();
    const { reasons, retryReasons } = await open.store.counts();
    const groups = Object.entries(reasons).map(([reason, urls]) => ({
      ...{ reason, urls },
      meaning: REASONS[reason as Reason] ?? '',
      isRetried: false,
      option: optionFor(reason as Reason),
      examples: survey.examplesOf(reason as Reason),
    }));
    const retried = Object.entries(retryReasons).map(([reason, urls]) => ({
      ...{ reason, urls },
      meaning: REASONS[reason as Reason] ?? '',
      isRetried: true,
      option: null,
      examples: [],
    }));
    const sorted = [...groups, ...retried].sort((left, right) => right.urls - left.urls);
    return { groups: sorted, isComplete: survey.endedAtMs !== null } satisfies Skipped;
  },

  getBroken: async ({ open, query }) => {
    const { after = 0, limit = BROKEN_SHOWN } = query;
    const survey = await open.survey();
    const ids = survey.broken.filter((id) => id > after).slice(0, limit);
    const glances = await open.store.glancesOf(ids);
    const links = [];
    for (const glance of glances) links.push(await toBroken(open, glance));
    const last = ids.at(-1);
    return {
      links,
      next: last !== undefined && survey.broken.at(-1)! > last ? last : null,
      total: survey.endedAtMs === null ? null : survey.brokenTotal,
    } satisfies Broken;
  },
};

function sortValue(host: HostRecord, sort: string): number {
  if (sort === 'waiting') return host.waiting;
  if (sort === 'failed') return host.failed;
  return sort === 'name' ? 0 : host.fetched;
}

function toRow({ host, fetched, waiting, failed, manners, robots, trouble }: HostRecord): HostList['hosts'][number] {
  const { delayMs, blockedUntilMs } = manners;
  return {
    ...{ host, waiting, failed, delayMs, trouble },
    pages: fetched,
    blockedUntil: blockedUntilMs > Date.now() ? iso(blockedUntilMs) : null,
    robots: robotsState(robots),
  };
}

interface Outcomes {
  readonly confirmed: number;
  readonly falseAlarms: number;
  readonly missed: number;
  readonly quiet: number;
}

function outcomesOf({ confirmed, falseAlarms, missed, quiet }: Outcomes): Outcomes {
  // Evidence fades, so the counts are no whole numbers.
  const [a, b, c, d] = [confirmed, falseAlarms, missed, quiet].map(Math.round) as [number, number, number, number];
  return { confirmed: a, falseAlarms: b, missed: c, quiet: d };
}

const MOST_SITEMAPS = 200;

function sitemapsIn(robots: string): string[] {
  const lines = robots.split(/[\r\n]+/).map((line) => /^\s*sitemap\s*:\s*(\S+)/i.exec(line)?.[1]);
  return lines.filter((url) => url !== undefined).slice(0, MOST_SITEMAPS);
}

function toFolderRow({ name, urls, bytes, states }: Folder): Tree['rows'][number] {
  return { name, isFolder: true, url: null, urls, bytes, states: states as Record<string, number> };
}

function toFileRow({ url, state, bytes }: UrlGlance): Tree['rows'][number] {
  const path = url.slice(url.lastIndexOf('/', url.includes('?') ? url.indexOf('?') : url.length) + 1);
  return { name: path, isFolder: false, url, urls: 1, bytes, states: { [state]: 1 } };
}

async function toUrlRows({ store }: OpenCopy, glances: readonly UrlGlance[]): Promise<UrlList['urls']> {
  const records = new Map((await store.records(glances.map(({ id }) => id))).map((record) => [record.id, record.via]));
  return glances.map(({ id, url, state, reason }) => ({ id, url, state, reason, via: records.get(id) ?? null }));
}

async function toBroken({ store, copy }: OpenCopy, { id, url, reason }: UrlGlance): Promise<Broken['links'][number]> {
  const [record] = await store.records([id]);
  const links = record === undefined ? null : await readLinks(store, copy.place, record, { from: FROM_SHOWN, to: 0 });
  return {
    ...{ url, reason: reason ?? '' },
    pages: links?.backlinks ?? 0,
    from: (links?.from ?? []).map((link) => ({ url: link.url, anchor: link.anchor })),
  };
}
