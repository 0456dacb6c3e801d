/**
 * Says when a listener may receive its next changes (`--quiet-hours`, `--digest`). In: the time, and when the listener
 * last received everything. Out: until when its changes wait, and why. It holds no state: the cursor of the listener
 * stores the time of the last digest, so a digest keeps its rhythm over runs.
 */
import { OrbweaverError } from '../../../core/errors.ts';
import { durationMs } from '../../../core/options/option-values.ts';
import { DAY_MINUTES, LocalTime, MINUTE_MS } from './local-time.ts';
import { parseTimeOfDay, QuietHours } from './quiet-hours.ts';

export interface PaceSettings {
  /** Spans such as `22:00-07:00` (quiet-hours.ts). */
  readonly quietHours?: readonly string[];
  /** A time between two digests, such as `6h`, or a time of day, such as `08:00`. */
  readonly digest?: string | null;
  readonly timeZone?: string | null;
}

export interface Hold {
  readonly untilMs: number;
  /** Completes the sentence "3 changes wait: …". */
  readonly reason: string;
}

export class DeliveryPace {
  readonly #time: LocalTime;
  readonly #quiet: QuietHours | null;
  readonly #digest: Digest | null;

  /** Throws if a setting is invalid. */
  constructor({ quietHours = [], digest = null, timeZone = null }: PaceSettings) {
    this.#time = new LocalTime(timeZone);
    this.#quiet = quietHours.length === 0 ? null : new QuietHours(quietHours, this.#time);
    this.#digest = digest === null ? null : parseDigest(digest);
  }

  get hasDigest(): boolean {
    return this.#digest !== null;
  }

  /** Null if the listener may receive changes now. `lastMs` is the time of its last digest. */
  holdAt(nowMs: number, lastMs: number): Hold | null {
    // A clock that was set back must not delay a digest by more than its own time.
    const dueMs = this.#digest === null ? nowMs : this.#nextDigest(this.#digest, Math.min(lastMs, nowMs));
    const fromMs = Math.max(nowMs, dueMs);
    const untilMs = this.#quiet === null ? fromMs : (this.#quiet.endAfter(fromMs) ?? fromMs);
    if (untilMs <= nowMs) return null;
    const what = dueMs > nowMs ? 'the next digest is due at' : 'quiet hours until';
    return { untilMs, reason: `${what} ${this.#time.at(untilMs).text} (${this.#time.zone})` };
  }

  #nextDigest(digest: Digest, lastMs: number): number {
    if ('everyMs' in digest) return lastMs + digest.everyMs;
    const { minute } = this.#time.at(lastMs);
    const wait = (digest.minute - minute + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
    return this.#time.later(lastMs, wait);
  }
}

type Digest = { readonly everyMs: number } | { readonly minute: number };

function parseDigest(text: string): Digest {
  const minute = parseTimeOfDay(text);
  if (minute !== null) return { minute: minute % DAY_MINUTES };
  try {
    const everyMs = durationMs(text);
    if (everyMs >= MINUTE_MS) return { everyMs };
  } catch {
    // The message below says more than that of the parser.
  }
  throw new OrbweaverError(
    'ERR_BAD_OPTION',
    `--digest needs a time of day such as 08:00, or a time such as 6h or 1d, not "${text}"`,
  );
}
