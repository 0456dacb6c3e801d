/**
 * Who comes next when reports have to be put together, which is what costs a watcher most. In: work, and for whom. Out:
 * its result, or
 * null where too much waits.
 *
 * Invariants: one piece of work at a time. The client that has used the least time in about the last minute comes
 * first, and where too
 * much waits the one that has used the most goes. Clients that have used much rest after each piece as long as it took,
 * so that
 * questions alone take half of a core at most.
 */
const MINUTE_MS = 60_000;
/** From so much time of the last minute on a client counts as one that asks for much. */
const MUCH_MS = 1_000;
const MAX_CLIENTS = 4_096;

interface Waiting {
  client: string;
  /** Resolves to how whoever waits is told. */
  readonly start: () => Promise<() => void>;
  readonly drop: () => void;
}

export interface Queued<T> {
  /** Null: too much waits. */
  readonly result: Promise<T | null>;
  /** Somebody else wants the same: it comes as early as if that one had asked first. */
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

  /** `spent` is told the time that each piece took. */
  constructor(maxWaiting: number, spent: (ms: number) => void = () => undefined) {
    this.#maxWaiting = maxWaiting;
    this.#spent = spent;
  }

  /** Null: too much waits. */
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
    const restMs = used[place]! < MUCH_MS ? 0 : this.#restsUntilMs - nowMs;
    if (restMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = null;
        this.#next();
      }, restMs).unref();
      return;
    }
    const [{ client, start }] = this.#waiting.splice(place, 1) as [Waiting];
    this.#isBusy = true;
    void start().then((tell) => {
      const tookMs = performance.now() - nowMs;
      this.#note(client, tookMs);
      this.#spent(tookMs);
      this.#restsUntilMs = performance.now() + tookMs;
      this.#isBusy = false;
      tell();
      this.#next();
    });
  }

  /** Of those that wait, if it has used more than the newcomer. */
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
    this.#used.delete(client);
    this.#used.set(client, { ms, atMs });
    if (this.#used.size > MAX_CLIENTS) this.#used.delete(this.#used.keys().next().value!);
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
