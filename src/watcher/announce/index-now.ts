/**
 * IndexNow: tells search engines which URLs changed. In: the journal. Out: notices of at most 10,000 URLs. What always
 * holds: the position moves past a change only after a notice with it was accepted, and the position is on the disk, so
 * a restart loses nothing; the journal itself is the queue, so nothing piles up.
 */

import { readFile } from 'node:fs/promises';
import { systemClock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { SerialQueue } from '../memory/serial-queue.ts';
import { replaceJson } from '../report/replace-file.ts';
import type { ObservableMemory } from '../report/report-source.ts';
import { type PostOutcome, postJson } from './post-json.ts';

const DEFAULTS = {
  /** The URL of the key, if it is not `/<key>.txt`. */
  keyLocation: null as string | null,
  /** Waiting time after the first change, so that many changes go into one notice. */
  gatherMs: 10_000,
  timeoutMs: 30_000,
  clock: systemClock,
  random: Math.random,
  /** Receives messages for the operator. */
  onNotice: (_message: string): void => undefined,
};

export interface IndexNowOptions extends Readonly<typeof DEFAULTS> {
  readonly endpoint: string;
  /** 8 to 128 of `A-Z a-z 0-9 -`. */
  readonly key: string;
  readonly stateFile: string;
}

export type NoticeOutcome = 'nothing' | 'sent' | 'failed';

const MAX_URLS = 10_000;
const PIECE = 1_000;
const FIRST_WAIT_MS = 30_000;
const MAX_WAIT_MS = 6 * 3_600_000;

export class IndexNow {
  readonly #site: string;
  readonly #memory: ObservableMemory;
  readonly #options: IndexNowOptions;
  #place: NoticePlace | null = null;
  #failures = 0;
  #waitMs = 0;
  #lastNotice = '';
  #cancel: (() => void) | null = null;
  #unlisten: (() => void) | null = null;
  readonly #turns = new SerialQueue();

  constructor(
    source: { readonly site: string; readonly memory: ObservableMemory },
    options: Partial<IndexNowOptions> & Pick<IndexNowOptions, 'endpoint' | 'key' | 'stateFile'>,
  ) {
    if (!/^[A-Za-z0-9-]{8,128}$/.test(options.key)) {
      throw new OrbweaverError('ERR_BAD_OPTION', '--indexnow-key needs 8 to 128 letters, digits or dashes');
    }
    if (!isWebUrl(options.endpoint)) {
      throw new OrbweaverError('ERR_BAD_OPTION', '--indexnow-endpoint needs an http or https URL');
    }
    this.#site = source.site;
    this.#memory = source.memory;
    this.#options = { ...DEFAULTS, ...options };
  }

  /** The waiting time after the last failure. */
  get waitMs(): number {
    return this.#waitMs;
  }

  start(): void {
    this.#unlisten = this.#memory.onChange(() => this.#schedule(this.#options.gatherMs));
    this.#schedule(this.#options.gatherMs);
  }

  async stop(): Promise<void> {
    this.#unlisten?.();
    this.#unlisten = null;
    this.#cancel?.();
    this.#cancel = null;
    await this.#turns.idle();
  }

  /** Sends one notice, if there are changes. */
  step(): Promise<NoticeOutcome> {
    return this.#turns.take(() => this.#step());
  }

  #schedule(waitMs: number): void {
    // A scheduled notice comes soon enough. After a failure, its waiting time must stay.
    if (this.#cancel !== null || this.#unlisten === null) return;
    this.#cancel = this.#options.clock.after(waitMs, async () => {
      const outcome = await this.step().catch((error: Error) => this.#fail(error.message));
      this.#cancel = null;
      if (outcome === 'failed') this.#schedule(this.#waitMs);
      else if ((this.#place?.seq ?? -1) < this.#memory.lastSeq) this.#schedule(this.#options.gatherMs);
    });
  }

  async #step(): Promise<NoticeOutcome> {
    if (!this.#memory.isComplete) return 'nothing';
    const place = await this.#here();
    const { urls, seq } = await this.#gather(place.seq);
    if (seq === place.seq) return 'nothing';
    if (urls.length === 0) {
      await this.#goOn({ epoch: place.epoch, seq });
      return 'nothing';
    }
    const { endpoint, key, keyLocation, timeoutMs, clock } = this.#options;
    const notice = {
      host: new URL(this.#site).host,
      key,
      keyLocation: keyLocation ?? `${this.#site}/${key}.txt`,
      urlList: urls,
    };
    const outcome = await postJson(endpoint, notice, timeoutMs, clock);
    if (outcome.status !== 200 && outcome.status !== 202) return this.#fail(failureText(outcome), outcome);
    await this.#goOn({ epoch: place.epoch, seq });
    this.#failures = 0;
    this.#waitMs = 0;
    this.#lastNotice = '';
    return 'sent';
  }

  async #gather(after: number): Promise<{ readonly urls: readonly string[]; readonly seq: number }> {
    const urls = new Set<string>();
    let seq = after;
    while (urls.size < MAX_URLS) {
      const piece = await this.#memory.changes(seq, PIECE);
      if (piece.length === 0) break;
      for (const change of piece) {
        if (urls.size >= MAX_URLS) break;
        seq = change.seq;
        const { kind, page } = change;
        if (this.#memory.isReported?.(page.url) === false) continue;
        if (kind === 'deleted' || (this.#memory.isStillPage?.(page) ?? true)) urls.add(this.#site + page.url);
      }
    }
    return { urls: [...urls], seq };
  }

  /**
   * The current position. Pages that exist at the first start are not announced, and neither are changes that were
   * dropped while the watcher was stopped.
   */
  async #here(): Promise<NoticePlace> {
    const { epoch, lastSeq, oldestSeq } = this.#memory;
    const place = this.#place ?? (await readNoticePlace(this.#options.stateFile));
    if (place !== null && place.epoch === epoch && place.seq >= oldestSeq && place.seq <= lastSeq) {
      this.#place = place;
      return place;
    }
    if (place !== null) this.#notify('earlier changes are no longer stored and will not be announced');
    return this.#goOn({ epoch, seq: lastSeq });
  }

  async #goOn(place: NoticePlace): Promise<NoticePlace> {
    await replaceJson(this.#options.stateFile, place);
    this.#place = place;
    return place;
  }

  #fail(why: string, outcome?: PostOutcome): NoticeOutcome {
    const backOffMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(this.#failures++, 20));
    const drawnMs = backOffMs * (0.75 + 0.5 * this.#options.random());
    this.#waitMs = Math.min(MAX_WAIT_MS, Math.max(drawnMs, outcome?.retryAfterMs ?? 0));
    this.#notify(why);
    return 'failed';
  }

  /** The same message is reported only once. */
  #notify(message: string): void {
    if (message === this.#lastNotice) return;
    this.#lastNotice = message;
    this.#options.onNotice(`IndexNow: ${message}`);
  }
}

/** The file that proves the ownership of the site, for the handler or the web root. */
export function keyFile(key: string): Readonly<Record<string, string>> {
  return { [`/${key}.txt`]: key };
}

function isWebUrl(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}

function failureText({ status, error }: PostOutcome): string {
  if (status === 403 || status === 422) return `the search engine refused the key or the site (${status})`;
  return status === null ? `no response: ${error}` : `the search engine answered with ${status}`;
}

/** The last change whose notice was accepted, in a small file. */
interface NoticePlace {
  readonly epoch: string;
  readonly seq: number;
}

/** Null if the file is missing or unreadable. */
async function readNoticePlace(file: string): Promise<NoticePlace | null> {
  try {
    const found = JSON.parse(await readFile(file, 'utf8')) as Partial<NoticePlace> | null;
    const isWhole = typeof found?.epoch === 'string' && Number.isSafeInteger(found.seq);
    return isWhole ? { epoch: found.epoch!, seq: found.seq! } : null;
  } catch {
    return null;
  }
}
