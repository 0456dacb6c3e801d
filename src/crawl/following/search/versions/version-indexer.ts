/**
 * Brings the stored versions of pages into their index. In: the ids of URLs that commits touched. Out: the index has
 * the versions that the copy has of them, and no others.
 *
 * What always holds: a version is read from the archive once. Versions are committed in small groups, so memory does
 * not grow with the history of a page, and a run that is killed repeats at most one group.
 */
import { Template } from '../../../../content/template/template.ts';
import { putNewest } from '../../../../core/bounded-map.ts';
import type { IndexWriter } from '../../../../search/index/index-writer.ts';
import {
  type FoundVersion,
  type StoredVersion,
  type VersionChanges,
  type VersionedUrl,
  VersionTable,
} from '../../../../search/versions/version-table.ts';
import type { UrlRecord } from '../../../../store/contract.ts';
import { hostOf } from '../../../../url/host.ts';
import { urlKeyHex } from '../../../../url/key.ts';
import { LATEST_MS } from '../../../place/read-archived.ts';
import { DROPPED_NOTE } from '../../../retention/retain.ts';
import { productToken } from '../../../unit/fetch-setup.ts';
import type { IndexNotes, UnreadPage } from '../index-notes.ts';
import { LinkTargets } from '../link-targets.ts';
import { type PageIndexerParts, unreadPage, unreadPageAfter } from '../page-indexer.ts';
import { readVersionPage, type VersionReading } from './read-version-page.ts';
import { type PageVersion, versionsOf } from './versions-of.ts';

const RECORDS_AT_ONCE = 50;
/** A commit has so many versions, or versions with so many characters. */
const VERSIONS_AT_ONCE = 1_000;
const CHARS_AT_ONCE = 32_000_000;
const MAX_TEMPLATES = 64;

interface VersionIndexerParts extends Omit<PageIndexerParts, 'writer'> {
  readonly writer: IndexWriter;
  readonly notes: Pick<IndexNotes, 'write'>;
}

export class VersionIndexer {
  readonly #parts: VersionIndexerParts;
  readonly #table: VersionTable;
  readonly #reading: VersionReading;
  readonly #templates = new Map<string, Template | null>();
  #put: StoredVersion[] = [];
  #removed: number[] = [];
  #urls: VersionedUrl[] = [];
  #chars = 0;
  #unread: UnreadPage[] = [];
  /** What the copy had dropped before the first of its captures was read. */
  #dropped: string | null = null;

  constructor(parts: VersionIndexerParts, owner: string) {
    this.#parts = parts;
    this.#table = VersionTable.forWriting(parts.writer.database, owner);
    const { store, place, options } = parts;
    const targets = new LinkTargets(store, options);
    this.#reading = { store, place, options, targets, token: productToken(options.userAgent) };
  }

  get versions(): number {
    return this.#table.count;
  }

  clear(owner: string): void {
    this.#table.clear(owner);
  }

  /**
   * Writes the versions of these URLs. `skip`: URLs that have ended the thread before. Returns false if it was stopped;
   * versions that were not committed do not count then.
   */
  async index(ids: readonly number[], skip: ReadonlySet<number>): Promise<boolean> {
    const { store, notes } = this.#parts;
    this.#templates.clear();
    this.#unread = [];
    for (let at = 0; at < ids.length; at += RECORDS_AT_ONCE) {
      const some = ids.slice(at, at + RECORDS_AT_ONCE);
      const records = new Map((await store.records(some)).map((record) => [record.id, record]));
      for (const id of some) {
        const record = records.get(id);
        if (record === undefined) this.#removed.push(...this.#table.of(id).map((version) => version.id));
        else if (!(await this.#indexUrl(record, skip.has(id)))) return false;
      }
    }
    notes.write(this.#unread, ids);
    return true;
  }

  /** Makes everything durable that was added, together with the position. */
  commit(position: string | null): void {
    const { writer } = this.#parts;
    for (const id of this.#removed) writer.remove(id);
    const changes: VersionChanges = { put: this.#put, removed: this.#removed, urls: this.#urls };
    writer.commit(position, () => this.#table.write(changes));
    [this.#put, this.#removed, this.#urls, this.#chars] = [[], [], [], 0];
  }

  /** URLs with versions that the copy may have dropped since: all with a history, if it has dropped any. */
  async urlsToCompare(after: number, limit: number): Promise<readonly number[]> {
    if (after === 0) this.#dropped = await this.#parts.store.note(DROPPED_NOTE);
    if (this.#dropped === this.#table.dropped) return [];
    const ids = this.#table.urlsWithHistory(after, limit);
    if (ids.length === 0) this.#table.dropped = this.#dropped;
    return ids;
  }

  async #indexUrl(record: UrlRecord, isTooHeavy: boolean): Promise<boolean> {
    const { store, signals } = this.#parts;
    const { id: urlId, url, reason } = record;
    const captures = await store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
    const versions = versionsOf(captures);
    // A soft 404 is no page. Whether earlier contents were is not stored, so they count.
    if (reason === 'soft-404') versions.pop();
    const known = new Map(this.#table.of(urlId).map((version) => [version.fromMs, version]));
    const [pageRank] = await store.pageRanks([urlId]);
    this.#urls.push(await this.#factsOf(record));
    for (const [i, version] of versions.entries()) {
      if (signals.isStopping) return false;
      const before = known.get(version.fromMs);
      known.delete(version.fromMs);
      if (before?.payload === version.capture.payloadDigest) this.#keep(before, version);
      else {
        if (before !== undefined) this.#removed.push(before.id);
        if (isTooHeavy) this.#unread.push(unreadPage(record, 'too-heavy', 'it needs too much memory'));
        else await this.#add(record, version, { isChange: i > 0, pageRank: pageRank! });
      }
      if (this.#parts.writer.waiting >= VERSIONS_AT_ONCE || this.#chars >= CHARS_AT_ONCE) {
        this.commit(this.#parts.writer.position);
      }
    }
    this.#removed.push(...[...known.values()].map(({ id }) => id));
    return true;
  }

  /** The time until which a version was current may have become known. */
  #keep(before: FoundVersion, { untilMs }: PageVersion): void {
    if (before.untilMs !== untilMs) this.#put.push({ ...before, untilMs });
  }

  async #add(
    record: UrlRecord,
    version: PageVersion,
    { isChange, pageRank }: { readonly isChange: boolean; readonly pageRank: number },
  ): Promise<void> {
    const { signals, writer } = this.#parts;
    const { capture, fromMs, untilMs } = version;
    signals.begin(record.id);
    try {
      const id = this.#table.newId();
      const template = await this.#templateOf(record.host);
      const { body, page } = await readVersionPage(this.#reading, {
        ...{ id, record, version, isChange, template, pageRank },
      });
      if (page !== null) writer.add(page);
      this.#chars += page?.blocks.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
      const stored = { id, urlId: record.id, fromMs, untilMs, payload: capture.payloadDigest, body };
      this.#put.push({ ...stored, isPage: page !== null });
    } catch (error) {
      this.#unread.push(unreadPageAfter({ ...record, capture }, error));
    } finally {
      signals.end();
    }
  }

  async #factsOf({ id: urlId, state, reason, duplicateOf }: UrlRecord): Promise<VersionedUrl> {
    const isCopy = state === 'duplicate';
    if (reason !== 'duplicate-canonical' || duplicateOf === null) return { urlId, isCopy, canonicalId: 0 };
    const original = await this.#parts.store.explain(hostOf(duplicateOf), urlKeyHex(duplicateOf));
    return { urlId, isCopy, canonicalId: original?.id ?? 0 };
  }

  async #templateOf(host: string): Promise<Template | null> {
    const known = this.#templates.get(host);
    if (known !== undefined) return known;
    const counts = await this.#parts.store.template(host);
    const template = counts === null ? null : Template.decode(counts);
    putNewest(this.#templates, host, template, MAX_TEMPLATES);
    return template;
  }
}
