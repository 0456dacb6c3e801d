/**
 * Sends archived responses through the pipeline of a crawl, as if they had just been fetched. In: indexed records in
 * the order of time. Out: the state that a crawl and its refreshes would have left: URLs, pages, captures, links,
 * versions and the changes between them.
 *
 * What always holds: a capture points to an existing record, and no byte is written to the archive. Each response is
 * added once, also when a killed recovery continues. Unreadable records are counted and left out.
 */
import { type Capture, readCapture } from '../archive/warc-reader.ts';
import type { RecordLocation } from '../archive/warc-writer.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import type { RefreshOptions } from '../core/options/refresh-options.ts';
import type { LinkJudge } from '../crawl/links/link-judge.ts';
import { usualSitemap } from '../crawl/links/sitemap-links.ts';
import type { TopicJudge } from '../crawl/links/topic-judge.ts';
import type { RunKind } from '../crawl/mending/crawl-identity.ts';
import type { CrawlPlace } from '../crawl/place/crawl-place.ts';
import { LATEST_MS } from '../crawl/place/read-archived.ts';
import type { ChangeJudge } from '../crawl/unit/change/change-judge.ts';
import { RegionJudge } from '../crawl/unit/change/region-judge.ts';
import { readDocumentNow } from '../crawl/unit/documents.ts';
import { productToken } from '../crawl/unit/fetch-setup.ts';
import { type AskedHost, crawlUrl, type Fetch, mediaType, parsingOf, type Stages } from '../crawl/unit/pipeline.ts';
import { revisitUrl } from '../crawl/unit/revisit-url.ts';
import { headerValue } from '../fetch/outcome.ts';
import { BlockCollector, WordCollector } from '../page/page.ts';
import type { CaptureRecord, ClaimedUrl, EarlierVisit, UrlRecord, UrlResult } from '../store/contract.ts';
import type { RecoverableStore } from '../store/recoverable.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { asTrial } from '../url/traps/sitemap-chain.ts';
import { archivedOutcome } from './archived-outcome.ts';
import type { CommitQueue } from './commit-queue.ts';
import { HeldRecords } from './held-records.ts';
import type { IndexedRecord, Position, RecordIndex } from './record-index.ts';

export interface ReplaySetup {
  readonly store: RecoverableStore;
  readonly place: CrawlPlace;
  readonly options: CrawlOptions;
  readonly refresh: RefreshOptions;
  readonly links: LinkJudge;
  readonly topic: TopicJudge | null;
  readonly index: RecordIndex;
  readonly queue: CommitQueue;
  /** The kind of run that wrote a file. Null if the file does not say. */
  readonly runOf: (file: string) => RunKind | null;
}

export class Replay {
  readonly counts = { added: 0, older: 0, known: 0, unreadable: 0, withoutPayload: 0 };
  readonly #setup: ReplaySetup;
  readonly #stages: Stages;
  readonly #held = new HeldRecords();
  /** The last record that was put into the queue. */
  #done: IndexedRecord | null = null;
  /** The time when the current record was fetched. */
  #nowMs = 0;
  #location: RecordLocation | null = null;
  #changes: Promise<ChangeJudge> | null = null;

  constructor(setup: ReplaySetup) {
    this.#setup = setup;
    const { options, refresh, links, topic, queue } = setup;
    const words = topic === null ? new WordCollector() : new BlockCollector();
    this.#stages = {
      options,
      productToken: productToken(options.userAgent),
      links,
      parsing: parsingOf(options, { links, topic, words }),
      topic,
      archive: { append: () => this.#location! },
      confirm: null,
      regions: new RegionJudge(refresh),
      changes: () => this.#changeJudge(),
      rereadBeforeMs: 0,
      refresh,
      readDocument: readDocumentNow,
      words,
      // The archive does not say what the host answers for other paths.
      isNotFound: () => false,
      secondLook: null,
      seedMoved: (url) => queue.movedSeeds.push(url),
      marking: () => {},
      // The archive has the response, so nothing is requested.
      refuses: () => null,
      nowMs: () => this.#nowMs,
    };
  }

  /** Everything up to this position is in the store once the queue is written. */
  get position(): Position | null {
    return this.#held.before ?? this.#done;
  }

  async add(row: IndexedRecord): Promise<void> {
    for (const late of this.#held.late(row)) {
      await this.#addKnown(late, true);
      this.#held.drop(late);
    }
    if (this.#held.has(row.url) || !(await this.#addKnown(row, false))) this.#held.hold(row, this.#done);
    this.#done = row;
  }

  /** Adds the records that are still held as URLs without a link to them. */
  async finish(): Promise<void> {
    for (const row of this.#held.all()) {
      await this.#addKnown(row, true);
      this.#held.drop(row);
    }
    await this.#setup.queue.flush();
  }

  /** Returns false if no page links to the URL yet. A record of such a page may follow soon. */
  async #addKnown(row: IndexedRecord, isLate: boolean): Promise<boolean> {
    const { queue } = this.#setup;
    this.#nowMs = row.timeMs;
    const capture = await this.#read(row);
    if (capture === null) return true;
    const found = (await queue.find(row.url)) ?? (await this.#makeKnown(row, capture, isLate));
    if (found === null) return false;
    await this.#addTo(found, row, capture);
    return true;
  }

  async #read(row: IndexedRecord): Promise<Capture | null> {
    const { place, index, store, options } = this.#setup;
    const findPayload = async (digest: string) => index.payload(digest) ?? (await store.payloadPlace(digest));
    try {
      const capture = await readCapture(place.archives[0]!, row, findPayload);
      if (capture.payloadDigest !== null && capture.url.length <= 8 * options.maxUrlLength) return capture;
      this.counts.unreadable++;
    } catch (error) {
      if (!(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') throw error;
      if (/revisit/.test(error.message)) this.counts.withoutPayload++;
      else this.counts.unreadable++;
    }
    return null;
  }

  /** A sitemap is not held back: no page links to a sitemap from robots.txt, and its URLs are near the seeds. */
  async #makeKnown({ url }: IndexedRecord, capture: Capture, isLate: boolean): Promise<UrlRecord | null> {
    if (!isLate && !/\bxml\b/i.test(headerValue(capture.rawHeaders, 'content-type'))) return null;
    const hops = url === usualSitemap(hostOf(url)) ? asTrial(0) : 0;
    return this.#setup.queue.makeKnown(this.#setup.links.found(url, 0, hops, null));
  }

  async #addTo(found: UrlRecord, row: IndexedRecord, capture: Capture): Promise<void> {
    const { queue, options, runOf } = this.#setup;
    // Most URLs have no capture yet, which saves the query.
    const place = found.capture === null ? 'newest' : await this.#placeIn(row, capture.payloadDigest!);
    if (place === 'known') {
      this.counts.known++;
      return;
    }
    const { file, offset, length } = row;
    this.#location = { file, offset, length, payloadDigest: capture.payloadDigest!, revisit: capture.revisit };
    const outcome = await archivedOutcome(capture, row.timeMs, options);
    const record: CaptureRecord = {
      fetchedAtMs: row.timeMs,
      status: capture.status,
      contentType: mediaType(outcome),
      ...this.#location,
    };
    if (place === 'older') {
      await queue.addOlder({ id: found.id, capture: record });
      this.counts.older++;
      return;
    }
    const task = await queue.claim(found);
    if (task === null) return;
    if (capture.status === 304 && !task.earlier) {
      // The archive has lost the page that this visit found unchanged.
      this.counts.withoutPayload++;
      return;
    }
    const { hostId, template } = await queue.hostOf(found.host);
    const host = { hostId, template, robots: null, noise: null };
    const result = await this.#pass(task, host, async () => outcome, capture.status);
    await queue.put({ ...result, capture: result.capture ?? record }, row, runOf(file) === 'refresh');
    this.counts.added++;
  }

  #pass(task: ClaimedUrl, host: AskedHost, fetch: Fetch, status: number): Promise<UrlResult> {
    const { earlier } = task;
    if (!earlier) return crawlUrl(this.#asFetched(task), host, fetch, this.#stages);
    return revisitUrl({ ...task, earlier: asArchived(earlier, status) }, host, fetch, this.#stages);
  }

  /**
   * The archive has the response of this URL, so no stand-in was fetched, whatever was learned about its parameters.
   */
  #asFetched(task: ClaimedUrl): ClaimedUrl {
    return this.#setup.links.variantOf(task)?.isLeftOut ? { ...task, standIn: task.id } : task;
  }

  /** Decides whether the store has this response, and if not, whether it has a later one. */
  async #placeIn({ url, timeMs, file, offset }: IndexedRecord, digest: string): Promise<'known' | 'older' | 'newest'> {
    const { store } = this.#setup;
    const [host, key] = [hostOf(url), urlKeyHex(url)];
    const [newest] = await store.capturesOf(host, key, LATEST_MS, 1);
    if (newest === undefined) return 'newest';
    const isSame = (known: CaptureRecord) =>
      (known.file === file && known.offset === offset) ||
      (known.payloadDigest === digest && known.fetchedAtMs === timeMs);
    if (isSame(newest)) return 'known';
    if (newest.fetchedAtMs < timeMs) return 'newest';
    const near = await store.capturesOf(host, key, timeMs + NEAR_MS, NEAR_CAPTURES);
    if (near.some(isSame)) return 'known';
    // Two responses within a short time are in file order, whatever the clock said.
    return newest.fetchedAtMs - timeMs < NEAR_MS && newest.file === file && newest.offset < offset ? 'newest' : 'older';
  }

  #changeJudge(): Promise<ChangeJudge> {
    const { place, store, options, refresh } = this.#setup;
    this.#changes ??= import('../crawl/unit/change/change-judge.ts').then(
      ({ ChangeJudge }) => new ChangeJudge({ place, places: store }, options, refresh),
    );
    return this.#changes;
  }
}

const NEAR_MS = 10 * 60_000;
const NEAR_CAPTURES = 64;
const TEMPORARY: readonly number[] = [300, 302, 303, 307];

/** A refresh archives a missing or moved page only at the second visit in a row that finds it so. */
function asArchived(earlier: EarlierVisit, status: number): EarlierVisit {
  if (status === 404) return { ...earlier, trouble: 'not-found' };
  return TEMPORARY.includes(status) ? { ...earlier, trouble: 'temporary-redirect' } : earlier;
}
