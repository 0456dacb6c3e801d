/**
 * The watchers of a crawl (W14). Before the crawl, each watcher is asked for its listing together with the
 * lease, and the listed pages become known like the entries of a sitemap. After the crawl, the cursor of the
 * listing is stored and the lease is released.
 *
 * What always holds: a cursor is stored only for a host of which the copy had no page before. Then every page of the
 * host was fetched after the listing was made, however the crawl ended, and the rest still waits. So the next report,
 * from that cursor on, contains every change since. The crawl also marks the pages that the listing did not name, and
 * the named pages that still wait. A killed crawl stores nothing, and a crawl that continues an earlier one deletes the
 * cursor: the next refresh then gets a listing and compares hashes.
 */

import { publish } from '../../core/events.ts';
import { safeText } from '../../core/safe-text.ts';
import type { WatcherRecord } from '../../store/contract.ts';
import { forgetCursors } from './hosts-to-ask.ts';
import { sleep } from './watch-reader.ts';
import type { WatchedHost } from './watched-host.ts';
import { WatcherRun } from './watcher-run.ts';
import type { LeaselessHost } from './watcher-summary.ts';

export class CrawlWatchers extends WatcherRun {
  #hosts: WatchedHost[] = [];
  /** Old cursors of hosts of which the copy already had pages, by host id. */
  readonly #before = new Map<number, string>();

  async begin(records: readonly WatcherRecord[]): Promise<void> {
    const { store, clock, options, reading } = this.setup;
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
      const hosts = await this.reader.readAll(asked, 'crawl');
      this.#hosts.push(...hosts.filter(({ stance }) => stance !== 'held'));
      const held = hosts.filter(({ stance }) => stance === 'held');
      // A wait for a lease is limited in time.
      const soon = held.filter(({ isWaiting, heldUntilMs }) => isWaiting || heldUntilMs <= patientUntilMs);
      for (const host of held) if (!soon.includes(host)) warnOfHeldHost(host);
      asked = soon.map(({ record }) => ({ ...record, cursor: null }));
      if (soon.length === 0) break;
      const atMs = Math.max(...soon.map(({ heldUntilMs }) => heldUntilMs));
      await sleep(clock, Math.max(0, atMs - clock.now()), reading.signal);
      if (reading.signal.aborted) break;
    }
    for (const host of this.#hosts) if (hasPages.has(host.record.hostId)) host.listing = null;
  }

  get hosts(): string[] {
    return this.#hosts.filter(({ fault }) => fault === null).map(({ record }) => record.host);
  }

  /** Hosts that are crawled without the lease of their watcher, because another crawler held it for too long. */
  get withoutLease(): LeaselessHost[] {
    return this.#hosts.flatMap((host) => {
      const { host: name, lease, heldBy, heldUntil, waitedSeconds } = host.summaryAt(this.setup.clock.now());
      return lease === 'refused' ? [{ host: name, heldBy, heldUntil, waitedSeconds }] : [];
    });
  }

  /** If the crawl fetched nothing (`hasFetched` is false), the old cursors are still valid and are restored. */
  async end(hasFetched: boolean): Promise<void> {
    const { store, clock } = this.setup;
    for (const [hostId, cursor] of hasFetched ? [] : this.#before) {
      await store.noteWatcher(hostId, { cursor }, clock.now());
    }
    for (const host of this.#hosts) {
      if (host.listing !== null) {
        const { applier, isWhole, cursor } = host.listing;
        if (isWhole) await applier.markUnnamed();
        if (((await store.host(host.record.host))?.waiting ?? 0) > 0) await applier.markWaiting();
        await applier.write({ cursor });
      }
      await this.reader.release(host);
    }
  }
}

function warnOfHeldHost({ record, heldUntilMs }: WatchedHost): void {
  const until = new Date(heldUntilMs).toISOString();
  const message = `${safeText(record.host)} allows no requests until ${until}; this run does not ask its watcher`;
  publish('crawl/warning', { message });
}
