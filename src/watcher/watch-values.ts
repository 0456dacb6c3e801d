/** How the texts of the watcher's own options become values; like option-values.ts, an Error's message completes "--name …". */
import { type Parser, share } from '../core/option-values.ts';

/** Where a server listens. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Part of a day by the machine's own clock, in minutes from midnight; one that ends before it begins goes over midnight. */
export interface RushHour {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Kept as it was written, once it is known to be good: `off`, `unix:/path`, `host:port` or a port alone. */
export const listenText: Parser<string> = Object.assign(
  (given: unknown): string => {
    const text = given === false ? 'off' : String(given).trim();
    if (text !== 'off' && listenAddress(text) === null) {
      throw new Error(`needs host:port, a port, unix:/path or off, not "${String(given)}"`);
    }
    return text;
  },
  { hint: '<host:port>' },
);

/** Null of `off`, and of what is no address. */
export function listenAddress(text: string): ListenAddress | null {
  if (text.startsWith('unix:')) {
    // The kernel keeps no longer names of sockets.
    return text.length > 5 && text.length <= 112 ? { kind: 'unix', path: text.slice(5) } : null;
  }
  const [, bracketed, plain, digits] = /^(?:(?:\[([\da-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return null;
  return { kind: 'tcp', host: bracketed ?? plain ?? '127.0.0.1', port };
}

/** `08:00-10:00`, several with commas between them. */
export const rushHours: Parser<readonly RushHour[]> = Object.assign(
  (given: unknown): readonly RushHour[] => {
    const texts = (Array.isArray(given) ? given : [given]).flatMap((each) => String(each).split(','));
    return texts.map((text) => {
      const found = /^\s*(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})\s*$/.exec(text);
      const [from, to] = [minuteOf(found?.[1], found?.[2]), minuteOf(found?.[3], found?.[4])];
      if (Number.isNaN(from + to) || from === to) {
        throw new Error(`needs times of the day such as 08:00-10:00, not "${text}"`);
      }
      return { fromMinute: from, toMinute: to };
    });
  },
  { hint: '<from-to>' },
);

function minuteOf(hours: string | undefined, minutes: string | undefined): number {
  const minute = Number(hours) * 60 + Number(minutes);
  return Number(minutes) < 60 && minute <= 1_440 ? minute : Number.NaN;
}

/** Of one core. */
export const cpuShare: Parser<number> = Object.assign(
  (given: unknown): number => {
    const value = share(given);
    if (value < 0.001) throw new Error(`needs a share from 0.1% to 100%, not "${String(given)}"`);
    return value;
  },
  { hint: share.hint },
);

/** A load average from which on the machine counts as busy; null is never. */
export const maxLoad: Parser<number | null> = Object.assign(
  (given: unknown): number | null => {
    const value = Number(String(given).trim() || 'x');
    if (!(value > 0 && value <= 10_000)) throw new Error(`needs a load average such as 1.5, not "${String(given)}"`);
    return value;
  },
  { hint: '<load>' },
);
