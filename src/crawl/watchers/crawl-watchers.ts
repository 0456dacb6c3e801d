/**
 * The watchers of a crawl (W14). Before it begins each is asked for its listing, with the lease, and what it names is made known like the
 * entries of a sitemap; when it is over, the cursor of that listing is noted and the lease given back.
 *
 * Always: a cursor is noted only for a host that the copy had no page of before. Then each page of it was fetched after the listing was
 * made, whichever way the crawl ended, and what is still to be fetched waits; so what the next report tells from there on
 * is all that can have changed. Which pages the listing did not name is noted with it, and which it named that are still to be fetched. A crawl that is killed notes nothing, and one that goes on with an earlier one takes the cursor
 * away: the next refresh is told a listing then, and compares hashes.
 */

import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import type { WatcherRecord } from '../../store/contract.ts';
import type { LineSetup } from './host-line.ts';
import { lineSetup, type WatchersSetup } from './line-setup.ts';
import { WatchReader } from './watch-reader.ts';
import type { WatchedHost } from './watched-host.ts';
import type { LeaselessHost } from './watcher-summary.ts';
import { forgetCursors } from './worth-asking.ts';

export class CrawlWatch {
  readonly #setup: LineSetup;
  readonly #reader: WatchReader;
  #hosts: WatchedHost[] = [];
  /** Cursors of hosts that the copy had pages of, by host. */
  readonly #before = new Map<number, string>();

  constructor(setup: WatchersSetup) {
    this.#setup = lineSetup(setup);
    this.#reader = new WatchReader(this.#setup);
  }

  async begin(records: readonly WatcherRecord[]): Promise<void> {
    const { store, clock, options } = this.#setup;
    const hasPages = new Set<number>();
    for (const { hostId, host, cursor } of records) {
      if (((await store.host(host))?.fetched ?? 0) === 0) continue;
      hasPages.add(hostId);
      if (cursor !== null) this.#before.set(hostId, cursor);
    }
    await forgetCursors(store, ({ hostId }) => hasPages.has(hostId), clock.now());
    const patientUntilMs = clock.now() + options.patience;
    let asked = records.map((record) => ({ ...record, cursor: null }));
    while (asked.length > 0) {
      const hosts = await this.#reader.readAll(asked, 'crawl');
      this.#hosts.push(...hosts.filter(({ stance }) => stance !== 'held'));
      const held = hosts.filter(({ stance }) => stance === 'held');
      // A wait for a lease ends by itself.
      const soon = held.filter(({ isWaiting, heldUntilMs }) => isWaiting || heldUntilMs <= patientUntilMs);
      for (const host of held) if (!soon.includes(host)) tellHeld(host);
      asked = soon.map(({ record }) => ({ ...record, cursor: null }));
      if (soon.length === 0) break;
      const atMs = Math.max(...soon.map(({ heldUntilMs }) => heldUntilMs));
      if (!(await this.#sleepUntil(atMs))) break;
    }
    for (const host of this.#hosts) if (hasPages.has(host.record.hostId)) host.listing = null;
  }

  /** Whether it was not woken to leave. */
  async #sleepUntil(atMs: number): Promise<boolean> {
    const { clock, reading } = this.#setup;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(Math.max(0, atMs - clock.now()), resolve);
      const leave = (): void => {
        cancel();
        resolve();
      };
      if (reading.signal.aborted) leave();
      else reading.signal.addEventListener('abort', leave, { once: true });
    });
    return !reading.signal.aborted;
  }

  /** Hosts that have a watcher. */
  get hosts(): string[] {
    return this.#hosts.filter(({ fault }) => fault === null).map(({ record }) => record.host);
  }

  /** Hosts that are crawled without the lease of their watcher, because another crawler held it for too long. */
  get withoutLease(): LeaselessHost[] {
    return this.#hosts.flatMap((host) => {
      const { host: name, lease, heldBy, heldUntil, waitedSeconds } = host.summaryAt(this.#setup.clock.now());
      return lease === 'refused' ? [{ host: name, heldBy, heldUntil, waitedSeconds }] : [];
    });
  }

  /** `hasFetched`: where nothing was, what was known of the pages of a host is as true as before. */
  async end(hasFetched: boolean): Promise<void> {
    const { store, clock } = this.#setup;
    for (const [hostId, cursor] of hasFetched ? [] : this.#before) {
      await store.noteWatcher(hostId, { cursor }, clock.now());
    }
    for (const host of this.#hosts) {
      if (host.listing !== null) {
        const { taker, isWhole, cursor } = host.listing;
        if (isWhole) await taker.markUnnamed();
        if (((await store.host(host.record.host))?.waiting ?? 0) > 0) await taker.markWaiting();
        await taker.finish({ cursor });
      }
      await this.#reader.release(host);
    }
  }

  /** The run is to end while reports are read: they are left for another time. Leases are given back all the same. */
  readNoMore(): void {
    this.#setup.reading.abort();
  }

  /** Nobody is asked any more, and leases end by themselves. */
  leave(): void {
    this.#setup.reading.abort();
    this.#setup.leaving.abort();
  }

  async close(): Promise<void> {
    await this.#setup.fetcher.close();
  }
}

function tellHeld({ record, heldUntilMs }: WatchedHost): void {
  const until = new Date(heldUntilMs).toISOString();
  const message = `${safeText(record.host)} asked to be left alone until ${until}; its watcher is not asked in this run`;
  publish('crawl/warning', { message });
}
