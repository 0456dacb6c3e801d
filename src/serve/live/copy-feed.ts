/**
 * The events of one copy for all clients that watch it. In: the file `live.json` and the store of the copy, asked twice
 * a second while there is a client. Out: server-sent events `live`, `pages`, `change` and `counts`.
 *
 * What always holds: each client gets each change after its own position once, in the order of the commits, however
 * often its connection breaks: the id of an event is the number of the change.
 */
import { statSync } from 'node:fs';
import { everySteady } from '../../core/clock.ts';
import { livePath } from '../../crawl/live/live-file.ts';
import { type AnyStore, readStoreAt } from '../../crawl/place/open-store.ts';
import type { LatestPage } from '../contract/live.ts';
import { toChange } from '../readers/handlers/changes.ts';
import { latestPages } from '../readers/handlers/latest-pages.ts';
import { runOf, toRun } from '../runs/run-state.ts';
import type { ServedCopy } from '../served-copy.ts';
import type { EventStream } from './event-stream.ts';

const EVERY_MS = 500;
/** A new report of the run is sent so soon. Looking costs microseconds. */
const LOOK_EVERY_MS = 50;
const KEEP_ALIVE_TICKS = 30;
const CHANGES_PER_TICK = 200;
const LATEST_SHOWN = 20;
const NO_FILE = { ino: 0, mtimeMs: 0 };

export class CopyFeed {
  readonly #copy: ServedCopy;
  readonly #startedAtMs: () => number | null;
  readonly #clients = new Set<EventStream>();
  #store: AnyStore | null = null;
  #stopTicking: (() => void) | null = null;
  #looking: NodeJS.Timeout | undefined;
  /** Changes with each report of the run. */
  #lastReport = '';
  #ticks = 0;
  #isBusy = false;
  #lastLive = '';
  #lastTouch = '';

  constructor(copy: ServedCopy, startedAtMs: () => number | null) {
    this.#copy = copy;
    this.#startedAtMs = startedAtMs;
  }

  add(client: EventStream): void {
    this.#clients.add(client);
    // The new client has seen nothing yet.
    this.#lastLive = '';
    this.#lastTouch = '';
    if (this.#stopTicking === null) {
      this.#stopTicking = everySteady(EVERY_MS, () => void this.#tick());
      this.#looking = setInterval(() => this.#look(), LOOK_EVERY_MS);
    }
    void this.#tick();
  }

  remove(client: EventStream): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    clearInterval(this.#looking);
    this.#stopTicking?.();
    this.#stopTicking = null;
    void this.#closeStore();
  }

  end(): void {
    for (const client of this.#clients) {
      client.end();
      this.remove(client);
    }
  }

  #look(): void {
    const { ino, mtimeMs } = statSync(livePath(this.#copy.place.dir), { throwIfNoEntry: false }) ?? NO_FILE;
    const report = `${ino}/${mtimeMs}`;
    if (report === this.#lastReport) return;
    this.#lastReport = report;
    this.#sendLive();
  }

  async #tick(): Promise<void> {
    this.#ticks++;
    this.#sendLive();
    if (this.#ticks % KEEP_ALIVE_TICKS === 0) for (const client of this.#clients) client.keepAlive();
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      this.#store ??= await readStoreAt(this.#copy.place);
      await this.#sendPages(this.#store);
      for (const client of this.#clients) await this.#sendChanges(this.#store, client);
    } catch {
      // The copy does not exist yet, or cannot be read at the moment. The next tick tries again.
      await this.#closeStore();
    } finally {
      this.#isBusy = false;
    }
  }

  #sendLive(): void {
    const { live, state, isStale } = runOf(this.#copy, this.#startedAtMs());
    const json = JSON.stringify({ state, isStale, run: live && toRun(live, state) });
    if (json === this.#lastLive) return;
    this.#lastLive = json;
    this.#broadcast('live', json);
  }

  async #sendPages(store: AnyStore): Promise<void> {
    const [newest] = await store.lastTouches(1);
    const mark = newest === undefined ? '' : `${newest.seq}/${newest.id}`;
    if (mark === this.#lastTouch) return;
    this.#lastTouch = mark;
    const pages: LatestPage[] = await latestPages(store, LATEST_SHOWN);
    this.#broadcast('pages', JSON.stringify(pages));
  }

  async #sendChanges(store: AnyStore, client: EventStream): Promise<void> {
    if (!client.isReady) return;
    if (client.lastChange === null) {
      client.lastChange = await store.lastChange();
      client.send('ready', JSON.stringify({ newest: client.lastChange }), client.lastChange);
    }
    for (const entry of await store.changes(client.lastChange, CHANGES_PER_TICK)) {
      client.send('change', JSON.stringify(toChange(entry)), entry.seq);
      client.lastChange = entry.seq;
    }
  }

  #broadcast(event: string, json: string): void {
    for (const client of this.#clients) if (client.isReady) client.send(event, json);
  }

  async #closeStore(): Promise<void> {
    const store = this.#store;
    this.#store = null;
    await store?.close().catch(() => {});
  }
}
