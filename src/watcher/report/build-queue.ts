/**
 * Decides which report is built next, because building reports is the most expensive work of a watcher. In: work, and
 * the client that asks for it. Out: the result of the work, or null if the queue is full.
 *
 * What always holds: one task runs at a time. The client that used the least time in about the last minute comes first;
 * if the queue is full, the client that used the most time is dropped. After each task of a heavy client the queue
 * rests as long as the task took, so that questions alone take at most half of a core.
 */
import { putNewest } from '../../core/bounded-map.ts';

const MINUTE_MS = 60_000;
/** A client that used this much time in the last minute counts as heavy. */
const HEAVY_USE_MS = 1_000;
const MAX_CLIENTS = 4_096;

interface Waiting {
  client: string;
  /** Resolves to the function that delivers the result to the waiting caller. */
  readonly start: () => Promise<() => void>;
  readonly drop: () => void;
}

export interface Queued<T> {
  /** Null if the queue is full. */
  readonly result: Promise<T | null>;
  /** Another client wants the same result. The task moves forward if that client has used less time. */
  join(client: string): void;
}

export class BuildQueue {
  readonly #maxWaiting: number;
  readonly #spent: (ms: number) => void;
  readonly #waiting: Waiting[] = [];
  /** In the order of last use. */
  readonly #used = new Map<string, { ms: number; atMs: number }>();
  #isBusy = false;
  #restsUntilMs = 0;
  #timer: NodeJS.Timeout | null = null;

  /** `spent` receives the duration of each task. */
  constructor(maxWaiting: number, spent: (ms: number) => void = () => undefined) {
    this.#maxWaiting = maxWaiting;
    this.#spent = spent;
  }

  /** Null if the queue is full. */
  add<T>(client: string, work: () => Promise<T>): Queued<T> | null {
    if (this.#waiting.length >= this.#maxWaiting && !this.#dropHeaviest(client)) return null;
    const { promise, resolve, reject } = deferred<T | null>();
    const waiting: Waiting = {
      client,
      start: () =>
        work().then(
          (result) => () => resolve(result),
          (error: unknown) => () => reject(error),
        ),
      drop: () => resolve(null),
    };
    this.#waiting.push(waiting);
    this.#next();
    const join = (other: string) => {
      const nowMs = performance.now();
      if (this.#usedBy(other, nowMs) < this.#usedBy(waiting.client, nowMs)) waiting.client = other;
      this.#next();
    };
    return { result: promise, join };
  }

  #next(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    const nowMs = performance.now();
    const used = this.#waiting.map(({ client }) => this.#usedBy(client, nowMs));
    const place = used.indexOf(Math.min(...used));
    const restMs = used[place]! < HEAVY_USE_MS ? 0 : this.#restsUntilMs - nowMs;
    if (restMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#next();
      }, restMs).unref();
      return;
    }
    const [{ client, start }] = this.#waiting.splice(place, 1) as [Waiting];
    this.#isBusy = true;
    void start().then((settle) => {
      const tookMs = performance.now() - nowMs;
      this.#note(client, tookMs);
      this.#spent(tookMs);
      this.#restsUntilMs = performance.now() + tookMs;
      this.#isBusy = false;
      settle();
      this.#next();
    });
  }

  /** Drops the waiting task of the heaviest client if that client used more time than the new one. */
  #dropHeaviest(newcomer: string): boolean {
    const nowMs = performance.now();
    const used = this.#waiting.map(({ client }) => this.#usedBy(client, nowMs));
    const place = used.lastIndexOf(Math.max(...used));
    if (!(used[place]! > this.#usedBy(newcomer, nowMs))) return false;
    this.#waiting.splice(place, 1)[0]!.drop();
    return true;
  }

  #usedBy(client: string, nowMs: number): number {
    const used = this.#used.get(client);
    return used === undefined ? 0 : used.ms * Math.exp((used.atMs - nowMs) / MINUTE_MS);
  }

  #note(client: string, tookMs: number): void {
    const atMs = performance.now();
    const ms = this.#usedBy(client, atMs) + tookMs;
    putNewest(this.#used, client, { ms, atMs }, MAX_CLIENTS);
  }
}

/** Node 18 has no Promise.withResolvers. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
