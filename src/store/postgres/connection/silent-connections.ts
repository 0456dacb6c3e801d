/**
 * Finds connections that have fallen silent. In: the connections of a database, each with its unanswered statements.
 * Out: connections that cannot answer any more are destroyed. Their statements fail as if the server had closed
 * them, so that they are retried on another connection.
 *
 * What always holds: no timeout limits a statement while the server works on it; the server is asked
 * over a separate connection. If the server cannot be asked (behind a pooler, which has many processes),
 * a timeout decides that is longer than statements take.
 */
import type { Socket } from 'node:net';
import type { StoreAddress } from './address.ts';
import { askOfProcess, type Whereabouts } from './ask-server-process.ts';
import { ConnectionMonitor } from './connection-monitor.ts';

export interface SilenceRules {
  /** If an answer is due and no byte has moved for this long, the server is asked. */
  readonly quietMs: number;
  /** If the server cannot be asked, the connection is given up after this time. */
  readonly mostQuietMs: number;
}

export const SILENCE_RULES: SilenceRules = { quietMs: 30_000, mostQuietMs: 600_000 };

const LOOK_EVERY_MS = 250;
/** How long an answer may be on its way, and the time limit of the question itself. */
const FRESH_MS = 2_000;
const ASK_LIMIT_MS = 10_000;
/**
 * Large statements take a while to arrive, and meanwhile the server waits for the client. So,
 * unless the work is urgent, the server is asked twice.
 */
const LOST_TIMES = 2;

interface Watched {
  readonly watch: ConnectionMonitor;
  /** Answers "lost" in a row. */
  lostTimes: number;
  askAgainAtMs: number;
  isAsking: boolean;
}

export class Silence {
  readonly #address: StoreAddress;
  readonly #rules: SilenceRules;
  readonly #watched: Watched[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(address: StoreAddress, rules: SilenceRules) {
    this.#address = address;
    this.#rules = rules;
    this.#timer = setInterval(() => this.#lookAtAll(), LOOK_EVERY_MS).unref();
  }

  /** Makes the watch of one more connection. */
  watch(): ConnectionMonitor {
    const { socket } = this.#address.options as unknown as { readonly socket: () => Promise<Socket> };
    const watch = new ConnectionMonitor(socket);
    this.#watched.push({ watch, lostTimes: 0, askAgainAtMs: 0, isAsking: false });
    return watch;
  }

  #lookAtAll(): void {
    const nowMs = performance.now();
    for (const watched of this.#watched) {
      const { watch } = watched;
      const quietForMs = watch.quietForMs(nowMs);
      const patienceMs = Math.min(watch.quietMs, this.#rules.quietMs);
      if (quietForMs < patienceMs) {
        // If an urgent call comes later, its first question is asked at its own time.
        if (quietForMs === 0) Object.assign(watched, { lostTimes: 0, askAgainAtMs: 0 });
      } else if (!watched.isAsking && nowMs >= watched.askAgainAtMs) void this.#ask(watched, patienceMs);
    }
  }

  async #ask(watched: Watched, patienceMs: number): Promise<void> {
    const { watch } = watched;
    const isUrgent = patienceMs < this.#rules.quietMs;
    const { pid } = watch;
    watched.isAsking = true;
    try {
      const answer: Whereabouts =
        pid === null
          ? 'unknown'
          : await askOfProcess(
              this.#address,
              pid,
              Math.min(FRESH_MS, patienceMs / 2),
              Math.min(ASK_LIMIT_MS, patienceMs),
            );
      const nowMs = performance.now();
      const quietForMs = watch.quietForMs(nowMs);
      // The connection has answered meanwhile.
      if (quietForMs < patienceMs) return;
      watched.askAgainAtMs = nowMs + patienceMs;
      watched.lostTimes = answer === 'lost' || answer === 'unreachable' ? watched.lostTimes + 1 : 0;
      const mostQuietMs = isUrgent ? 2 * patienceMs : this.#rules.mostQuietMs;
      const isLost = watched.lostTimes >= (isUrgent ? 1 : LOST_TIMES);
      if (isLost || (answer === 'unknown' && quietForMs >= mostQuietMs)) this.#giveUp(watched, quietForMs);
    } finally {
      watched.isAsking = false;
    }
  }

  /**
   * A failure of one connection mostly affects all. So connections without work are
   * also closed, and opened again before they are needed.
   */
  #giveUp(lost: Watched, quietForMs: number): void {
    const said = `${this.#address.name} has said nothing for ${Math.round(quietForMs / 1_000)} s`;
    const why = Object.assign(new Error(said), { code: 'ETIMEDOUT' });
    for (const watched of this.#watched) {
      if (watched !== lost && !watched.watch.isIdle) continue;
      Object.assign(watched, { lostTimes: 0, askAgainAtMs: 0 });
      watched.watch.destroy(why);
    }
  }

  /**
   * Called when the client has closed its connections as far as
   * possible. A silent connection would keep the process alive.
   */
  end(): void {
    clearInterval(this.#timer);
    for (const { watch } of this.#watched) watch.destroy();
  }
}
