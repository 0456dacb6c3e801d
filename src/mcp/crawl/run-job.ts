/**
 * The process that crawls or refreshes for the server. In: one job. Out: progress and an outcome.
 *
 * What always holds: the rules of the crawl stay as its owner set them, also the rule about private addresses; no
 * command runs, no webhook is sent and no file is written besides the copy; the run ends at its limit, at its time,
 * when it is asked to, and when the server is gone.
 */
import { findUrl } from '../../copy/find-url.ts';
import { collectUrlFacts } from '../../copy/url-facts.ts';
import { ERROR_CODES, OrbweaverError } from '../../core/errors.ts';
import { listen } from '../../core/events.ts';
import type { OptionSource } from '../../core/options/option-table.ts';
import { settleRules } from '../../core/options/stored-rules.ts';
import { startCrawl } from '../../crawl/crawl.ts';
import { readRules } from '../../crawl/place/data-folder.ts';
import { withStoreAt } from '../../crawl/place/open-store.ts';
import { privateRuleFor } from '../../crawl/private-seeds.ts';
import { startRefresh } from '../../crawl/refresh.ts';
import type { Stoppable } from '../../crawl/stoppable.ts';
import type { Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { ToolRefusal } from '../tools/tool.ts';
import type { CrawlJob, CrawlOutcome, FromChild, ToChild } from './crawl-job.ts';

/** Requests that are under way when the limit is reached are finished, so there are few at a time. */
const MOST_UNDER_WAY = 8;

/** A run that has this long after its time to finish its requests is ended at once. */
const FINISH_WITHIN_MS = 20_000;

let stop = (): void => {};

process.on('message', (message: ToChild) => {
  if (message.type === 'stop') stop();
  else void begin(message.job);
});
// The server is gone. What is committed is safe.
process.on('disconnect', () => {
  stop();
  setTimeout(() => process.exit(1), FINISH_WITHIN_MS).unref();
});
if (!process.connected) process.exit(1);

async function begin(job: CrawlJob): Promise<void> {
  try {
    send({ type: 'done', outcome: await run(job) });
  } catch (error) {
    send(refusalOf(error));
  }
  process.disconnect?.();
}

function send(message: FromChild): void {
  if (process.connected) process.send!(message);
}

function refusalOf(error: unknown): FromChild {
  if (error instanceof ToolRefusal) return { type: 'refused', code: error.code, sentence: error.message, detail: null };
  const code = error instanceof OrbweaverError ? error.code : 'ERR_INTERNAL';
  const detail = error instanceof OrbweaverError ? error.message : String((error as Error).stack);
  return { type: 'refused', code, sentence: `This is not possible now: ${ERROR_CODES[code][1]}.`, detail };
}

async function run(job: CrawlJob): Promise<CrawlOutcome> {
  const { dir, limit, seconds } = job;
  const before = await withStoreAt(dir, async (store) => {
    return { ...(await totalsOf(store)), target: await targetOf(store, job) };
  });
  let requested = 0;
  let isStopped = false;
  const running =
    job.kind === 'crawl' ? startCrawl(crawlOf(job, before.target)) : startRefresh(refreshOf(job, before.target));
  const end = endOnce(running);
  stop = end;
  const timer = setTimeout(() => {
    isStopped = true;
    end();
  }, seconds * 1_000);
  const stopListening = listen('crawl/commit', ({ results }) => {
    requested += results.filter(({ state }) => state !== 'skipped').length;
    send({ type: 'progress', requested });
    if (requested < limit) return;
    isStopped = true;
    end();
  });
  const { ending } = await (running as Stoppable<{ readonly ending: string }>).summary.finally(() => {
    clearTimeout(timer);
    stopListening();
  });
  const after = await withStoreAt(dir, totalsOf);
  return {
    ...{ ending, isStopped, requested },
    newPages: Math.max(0, after.pages - before.pages),
    waiting: after.waiting,
    lastChangeBefore: before.lastChange,
    lastChange: after.lastChange,
  };
}

/** The second stop of a run would end it at once and lose requests. */
function endOnce(running: Pick<Stoppable<unknown>, 'stop'>): () => void {
  let isEnding = false;
  return () => {
    if (isEnding) return;
    isEnding = true;
    running.stop();
    setTimeout(() => running.stop(), FINISH_WITHIN_MS).unref();
  };
}

async function totalsOf(store: Store): Promise<{ pages: number; waiting: number; lastChange: number }> {
  const { states } = await store.counts();
  return { pages: states.fetched + states.duplicate, waiting: states.waiting, lastChange: await store.lastChange() };
}

/** The URLs to add, or the patterns of the pages to visit. */
async function targetOf(store: Store, { kind, target }: CrawlJob): Promise<readonly string[]> {
  if (target === '') return [];
  return [kind === 'crawl' ? await newUrl(store, target) : await pagesOf(store, target)];
}

/** A URL that the copy does not have yet, of a host that it has, and that the rules of the crawl allow. */
async function newUrl(store: Store, text: string): Promise<string> {
  const { url, record } = await findUrl(store, text).catch(refuseUrl);
  if (record !== null && record.state !== 'waiting') {
    const next =
      record.state === 'skipped'
        ? `The rules of the crawl leave it out (${record.reason}).`
        : 'Use refresh with only = this URL.';
    throw new ToolRefusal('ERR_USAGE', `The copy knows this URL already; its state is "${record.state}". ${next}`);
  }
  await requireHost(store, hostOf(url));
  const { keptOutBy } = await collectUrlFacts(store, url);
  if (keptOutBy !== null) {
    throw new ToolRefusal(
      'ERR_USAGE',
      `The rules of the crawl leave this URL out (${keptOutBy}). Only its owner can change them.`,
    );
  }
  const options = settleRules([], await readRules(store)).options;
  const [now, then] = await Promise.all([privateRuleFor(store, [], options), privateRuleFor(store, [url], options)]);
  if (JSON.stringify(now) !== JSON.stringify(then)) {
    throw new ToolRefusal(
      'ERR_USAGE',
      'This URL would change which private addresses the crawl may reach. Only its owner can do that.',
    );
  }
  return url;
}

/** The pattern of one page or of all pages of a host. */
async function pagesOf(store: Store, text: string): Promise<string> {
  const host = /^(?:https?:\/\/)?[^/]+$/i.test(text) ? text : null;
  if (host !== null) return `${await knownHost(store, host)}/*`;
  const { url, record } = await findUrl(store, text).catch(refuseUrl);
  if (record?.capture) return url;
  throw new ToolRefusal('ERR_UNKNOWN_URL', 'The copy has no page with this URL. Name a page or a host that it has.');
}

async function knownHost(store: Store, text: string): Promise<string> {
  const hosts = /^https?:\/\//i.test(text) ? [text] : [`https://${text}`, `http://${text}`];
  for (const host of hosts) {
    const found = URL.canParse(host) ? await store.host(hostOf(new URL(host).href)) : null;
    if (found !== null && found.fetched > 0) return found.host;
  }
  throw unknownHost();
}

async function requireHost(store: Store, host: string): Promise<void> {
  const found = await store.host(host);
  if (found === null || found.fetched === 0) throw unknownHost();
}

function refuseUrl(): never {
  throw new ToolRefusal('ERR_BAD_URL', 'The url is not an http or https URL; write it like https://example.com/page.');
}

function unknownHost(): ToolRefusal {
  return new ToolRefusal(
    'ERR_USAGE',
    'The copy has no page of this host, and only its owner can add one. See list_sites.',
  );
}

const HERE = 'mcp';

function crawlOf({ dir, sources }: CrawlJob, seeds: readonly string[]) {
  const own: OptionSource = { from: HERE, given: { concurrency: MOST_UNDER_WAY, units: 1 } };
  return { dir, seeds, adds: seeds.length > 0, sources: [own, ...sources] };
}

function refreshOf({ dir, sources, limit, seconds }: CrawlJob, only: readonly string[]) {
  const given = { concurrency: MOST_UNDER_WAY, units: 1, budget: limit, time: `${seconds}s`, only: [...only] };
  return { dir, sources: [{ from: HERE, given } satisfies OptionSource, ...sources] };
}
