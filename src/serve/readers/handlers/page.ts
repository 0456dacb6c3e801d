/** What the API says about one URL: its state, its versions, its links and its content. */
import { hunksOf, piecesOf } from '../../../change/diff/hunks.ts';
import { findUrl } from '../../../copy/find-url.ts';
import { noiseOf } from '../../../copy/page-noise.ts';
import { templateOf } from '../../../copy/page-template.ts';
import { readDiff } from '../../../copy/read-diff.ts';
import { type Look, readHistory } from '../../../copy/read-history.ts';
import { readLinks } from '../../../copy/read-links.ts';
import type { VersionFacts } from '../../../copy/read-version.ts';
import { noiseSentences } from '../../../copy/sentences/noise-sentences.ts';
import { sentences, templateSentences } from '../../../copy/sentences/url-sentences.ts';
import { collectUrlFacts } from '../../../copy/url-facts.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import { cut } from '../../../core/text/truncate-text.ts';
import { LATEST_MS, readCopy } from '../../../crawl/place/read-archived.ts';
import { headerValue } from '../../../fetch/outcome.ts';
import type { UrlRecord } from '../../../store/contract.ts';
import type { PageContent, PageDiff, PageHistory } from '../../contract/page.ts';
import { ApiError } from '../../http/api-error.ts';
import type { Handlers } from '../answer-route.ts';
import type { OpenCopy } from '../open-copies.ts';
import { iso, isoOrNull, timeGiven } from './times.ts';

const MOST_VISITS = 200;
const MOST_LINKS = 50;
const CONTEXT_LINES = 3;
const MOST_HUNKS = 500;
const MOST_DIFF_CHARS = 1_000_000;
const MOST_MARKDOWN_CHARS = 1_000_000;
const MOST_STRUCTURED = 200;
const MOST_SENTENCES = 200;

export const handlers: Handlers = {
  getPage: async ({ open, query }) => {
    const { store, copy } = open;
    const facts = await collectUrlFacts(store, query.url);
    const { record, keptOutBy } = facts;
    const noise = await noiseOf(store, copy.place, facts).catch(() => null);
    const template = await templateOf(store, copy.place, facts).catch(() => null);
    const lines = [
      ...sentences(facts, copy.again, Date.now()),
      ...templateSentences(template),
      ...noiseSentences(noise),
    ];
    const [rank, inlinks] = record === null ? [0, 0] : await linkCounts(open, record);
    const capture = record?.capture ?? facts.looks.lastContent;
    return {
      url: facts.url,
      isKnown: record !== null,
      state: record?.state ?? null,
      reason: record === null ? keptOutBy : record.reason,
      title: record?.title ?? '',
      language: record?.language ?? '',
      contentType: capture?.contentType ?? '',
      bytes: record?.bytes ?? 0,
      depth: record?.depth ?? null,
      fetchedAt: isoOrNull(capture?.fetchedAtMs ?? null),
      checkedAt: isoOrNull(facts.looks.habits?.lastAtMs ?? null),
      status: capture?.status ?? null,
      duplicateOf: record?.duplicateOf ?? null,
      canonical: record?.canonical ?? null,
      nearDuplicateOf: record?.nearDuplicateOf ?? null,
      redirectTo: record?.redirectTo ?? null,
      rank: rank === 0 ? null : rank,
      inlinks,
      outlinks: record?.outlinks ?? 0,
      sentences: lines.slice(0, MOST_SENTENCES),
      hasContent: capture !== null && capture !== undefined,
    };
  },

  getHistory: async ({ open, query }) => {
    const { record } = await known(open, query.url);
    const { url, total, looks, habits } = await readHistory(open.store, open.copy.place, record.url, MOST_VISITS);
    return {
      url,
      total,
      visits: looks.map(toVisit),
      looks: habits && {
        ...{ count: habits.looks, changes: habits.changes, noise: habits.noise },
        lastAt: iso(habits.lastAtMs),
        since: iso(habits.sinceMs),
        changesADay: Number.isFinite(habits.changesADay) ? habits.changesADay : null,
      },
    } satisfies PageHistory;
  },

  getDiff: async ({ open, query }) => {
    const { record } = await known(open, query.url);
    const { of = 'text', context = CONTEXT_LINES } = query;
    const wanted = { fromMs: timeGiven(query.from, 'from'), toMs: timeGiven(query.to, 'to'), of };
    const found = await readDiff(open.store, open.copy.place, record.url, wanted);
    if (found === null) throw new ApiError('NOT_FOUND', 'the copy has no version of this URL from that time');
    const { from, to, diff, words } = found;
    const all = diff === null ? [] : hunksOf(diff, context);
    const { hunks, isCut } = toHunks(all);
    return {
      ...{ url: record.url, of, hunks, isCut },
      from: from && toVersion(from),
      to: toVersion(to),
      isCompared: diff !== null,
      wordsAdded: words?.wordsAdded ?? null,
      wordsRemoved: words?.wordsRemoved ?? null,
      linesAdded: diff?.linesAdded ?? null,
      linesRemoved: diff?.linesRemoved ?? null,
    } satisfies PageDiff;
  },

  getLinks: async ({ open, query }) => {
    const { record } = await known(open, query.url);
    const limit = query.limit ?? MOST_LINKS;
    const links = await readLinks(open.store, open.copy.place, record, { from: limit, to: limit });
    const states = await statesOf(open, [...links.from, ...links.to]);
    const toLink = ({ url, title, anchor, rank }: (typeof links.to)[number]) => ({
      ...{ url, title, anchor, rank },
      state: states.get(url) ?? null,
    });
    return {
      url: record.url,
      totalTo: links.backlinks,
      totalFrom: links.forwardLinks,
      to: links.from.map(toLink),
      from: links.to.map(toLink),
    };
  },

  getContent: async ({ open, query, archivedRoot }) => {
    const { record } = await known(open, query.url);
    const atMs = timeGiven(query.at, 'at') ?? LATEST_MS;
    const page = await readCopy(open.store, open.copy.place, record.url, atMs);
    if (page === null) throw new ApiError('NOT_FOUND', 'the copy has no response of this URL from that time');
    const { rawHeaders } = page.capture;
    const contentType = headerValue(rawHeaders, 'content-type');
    open.content.forgetTemplates();
    const read = await open.content.read({ url: record.url, body: page.body, contentType });
    const content = 'reason' in read ? null : read;
    const markdown = content?.markdown() ?? null;
    return {
      url: record.url,
      at: iso(page.record.fetchedAtMs),
      status: page.record.status,
      contentType,
      title: record.title,
      markdown: markdown === null ? null : cut(markdown, MOST_MARKDOWN_CHARS),
      isCut: (markdown?.length ?? 0) > MOST_MARKDOWN_CHARS || content?.isPartial === true,
      facts: { ...content?.facts() },
      structured: (content?.page?.structured().items ?? []).slice(0, MOST_STRUCTURED),
      headers: pairsOf(rawHeaders),
      archived: `${archivedRoot}/${page.record.fetchedAtMs}/${Buffer.from(record.url).toString('base64url')}`,
    } satisfies PageContent;
  },
};

async function known({ store }: OpenCopy, text: string): Promise<{ readonly record: UrlRecord }> {
  const { url, record } = await findUrl(store, text);
  if (record !== null) return { record };
  throw new OrbweaverError('ERR_UNKNOWN_URL', `the copy does not know ${url}`);
}

async function linkCounts({ store }: OpenCopy, { id }: UrlRecord): Promise<[number, number]> {
  const [[rank = 0], [inlinks = 0]] = await Promise.all([store.pageRanks([id]), store.backlinks([id])]);
  return [rank, inlinks];
}

/** The states of the other ends of links. */
async function statesOf({ store }: OpenCopy, links: readonly { readonly url: string }[]): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  for (const { url } of links) {
    if (states.has(url)) continue;
    const { record } = await findUrl(store, url);
    if (record !== null) states.set(url, record.state);
  }
  return states;
}

function toVisit({
  fetchedAtMs,
  noted,
  damage,
  wordsAdded,
  wordsRemoved,
  ...look
}: Look): PageHistory['visits'][number] {
  return {
    at: iso(fetchedAtMs),
    found: look.found,
    status: look.status,
    contentType: look.contentType,
    bytes: look.bytes,
    wordsAdded,
    wordsRemoved,
    leadsTo: look.leadsTo,
    level: noted?.level ?? null,
    part: noted?.part ?? null,
    kinds: (noted?.difference?.kinds ?? []).slice(0, 20),
    isDamaged: damage !== null,
  };
}

function toVersion({ fetchedAtMs, status, contentType, bytes, title }: VersionFacts): PageDiff['to'] {
  return { at: iso(fetchedAtMs), status, contentType, bytes, title };
}

const MOST_HEADERS = 200;
const MAX_HEADER_CHARS = 4_000;

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length && pairs.length < MOST_HEADERS; i += 2) {
    pairs.push([rawHeaders[i]!.slice(0, MAX_HEADER_CHARS), rawHeaders[i + 1]!.slice(0, MAX_HEADER_CHARS)]);
  }
  return pairs;
}

/** Ends after so much text that a browser can still show it. */
function toHunks(all: ReturnType<typeof hunksOf>): { hunks: PageDiff['hunks']; isCut: boolean } {
  const hunks: PageDiff['hunks'][number][] = [];
  let chars = 0;
  for (const { regions, ...place } of all) {
    const pieces = piecesOf({ ...place, regions });
    chars += pieces.reduce((sum, { text }) => sum + text.length, 0);
    if (chars > MOST_DIFF_CHARS || hunks.length === MOST_HUNKS) return { hunks, isCut: true };
    const { oldLine, oldLines, newLine, newLines } = place;
    hunks.push({ oldLine, oldLines, newLine, newLines, pieces: pieces.map(({ kind, text }) => ({ kind, text })) });
  }
  return { hunks, isCut: false };
}
