/**
 * Connections that fall silent. In: the connections of a database, each with what is not answered there. Out: those from which no answer
 * can come are destroyed, and what was on them fails as if the server had closed them, so that it is tried again on another.
 *
 * What always holds: no time limits a statement that the server is at, however long that takes; it is asked, over a connection of its own.
 * Where it cannot be asked (behind a pooler, which has many processes) a time decides that is longer than statements take.
 */
import type { Socket } from 'node:net';
import type { StoreAddress } from './address.ts';
import { askOfProcess, type Whereabouts } from './ask-of-process.ts';
import { ConnectionWatch } from './connection-watch.ts';

export interface SilenceRules {
  /** An answer that is due, with no byte moving for so long, is asked for. */
  readonly quietMs: number;
  /** The same where nobody can be asked: then it is given up. */
  readonly mostQuietMs: number;
}

export const SILENCE_RULES: SilenceRules = { quietMs: 30_000, mostQuietMs: 600_000 };

const LOOK_EVERY_MS = 250;
/** Of what may be on its way, and of the question itself. */
const FRESH_MS = 2_000;
const ASK_LIMIT_MS = 10_000;
/** Large statements take a while to get there, and meanwhile the server waits for us: who is in no hurry asks twice. */
const LOST_TIMES = 2;

interface Watched {
  readonly watch: ConnectionWatch;
  /** In a row. */
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

  /** Of one more connection. */
  watch(): ConnectionWatch {
    const { socket } = this.#address.options as unknown as { readonly socket: () => Promise<Socket> };
    const watch = new ConnectionWatch(socket);
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
        // Of a call in a hurry that came since, the first question is due at its time.
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
      // It has spoken meanwhile.
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

  /** What happened to one has mostly happened to all: those without work are opened anew before they are needed. */
  #giveUp(lost: Watched, quietForMs: number): void {
    const said = `${this.#address.name} has said nothing for ${Math.round(quietForMs / 1_000)} s`;
    const why = Object.assign(new Error(said), { code: 'ETIMEDOUT' });
    for (const watched of this.#watched) {
      if (watched !== lost && !watched.watch.isIdle) continue;
      Object.assign(watched, { lostTimes: 0, askAgainAtMs: 0 });
      watched.watch.destroy(why);
    }
  }

  /** When the client has closed its connections, as far as they could be: a silent one would keep the process. */
  end(): void {
    clearInterval(this.#timer);
    for (const { watch } of this.#watched) watch.destroy();
  }
}
