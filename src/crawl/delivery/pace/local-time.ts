/** Converts times to the clock and the weekdays of a time zone. In: milliseconds since 1970. Out: local time. */
import { OrbweaverError } from '../../../core/errors.ts';

export const WEEKDAYS: readonly string[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
export const DAY_MINUTES = 24 * 60;
export const MINUTE_MS = 60_000;

export interface LocalMoment {
  /** An index of `WEEKDAYS`. */
  readonly weekday: number;
  /** Minutes since midnight. */
  readonly minute: number;
  /** The same moment for readers, such as `2026-11-19 07:00`. */
  readonly text: string;
}

export class LocalTime {
  readonly zone: string;
  readonly #format: Intl.DateTimeFormat;

  /** `zone` is an IANA name such as `Europe/Berlin`. Null means the zone of this machine. */
  constructor(zone: string | null) {
    this.zone = zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    try {
      this.#format = new Intl.DateTimeFormat('en-GB', {
        timeZone: this.zone,
        weekday: 'short',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
      });
    } catch {
      throw new OrbweaverError(
        'ERR_BAD_OPTION',
        `--time-zone "${this.zone}" is not a time zone; write a name such as Europe/Berlin or UTC`,
      );
    }
  }

  at(ms: number): LocalMoment {
    const parts: Record<string, string> = {};
    for (const { type, value } of this.#format.formatToParts(ms)) parts[type] = value;
    const { weekday = '', year, month, day, hour = '0', minute = '0' } = parts;
    return {
      weekday: WEEKDAYS.indexOf(weekday.toLowerCase()),
      minute: Number(hour) * 60 + Number(minute),
      text: `${year}-${month}-${day} ${hour}:${minute}`,
    };
  }

  /** The full minute at which the local clock has moved on by so many minutes. Daylight saving may begin. */
  later(ms: number, minutes: number): number {
    const laterMs = Math.floor(ms / MINUTE_MS + minutes) * MINUTE_MS;
    const off = (this.at(ms).minute + minutes - this.at(laterMs).minute) % DAY_MINUTES;
    const nearest = off > DAY_MINUTES / 2 ? off - DAY_MINUTES : off < -DAY_MINUTES / 2 ? off + DAY_MINUTES : off;
    return laterMs + nearest * MINUTE_MS;
  }
}
