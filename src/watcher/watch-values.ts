/** Parsers for the watcher's own options. As in option-values.ts, the message of an Error completes "--name …". */
import { parser, share } from '../core/options/option-values.ts';
import { parseRushHours, type RushHours } from './pace/rush-hours.ts';

/** The address on which a server listens. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Returns the text unchanged after validation: `off`, `unix:/path`, `host:port` or only a port. */
export const listenText = parser('<host:port>', (given): string => {
  const text = given === false ? 'off' : String(given).trim();
  if (text !== 'off' && listenAddress(text) === null) {
    throw new Error(`needs host:port, a port, unix:/path or off, not "${String(given)}"`);
  }
  return text;
});

/** Null for `off` and for an invalid address. */
export function listenAddress(text: string): ListenAddress | null {
  if (text.startsWith('unix:')) {
    // The kernel does not allow longer socket names.
    return text.length > 5 && text.length <= 112 ? { kind: 'unix', path: text.slice(5) } : null;
  }
  const [, bracketed, plain, digits] = /^(?:(?:\[([\da-fA-F:.]+)\]|([^\s:[\]/]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return null;
  return { kind: 'tcp', host: bracketed ?? plain ?? '127.0.0.1', port };
}

/** `08:00-10:00`, several separated by commas; null for none. */
export const rushHours = parser('<from-to>', (given): RushHours | null => {
  const text = Array.isArray(given) ? given.join() : String(given);
  const found = parseRushHours(text);
  if (found === null) throw new Error(`needs times of the day such as 08:00-10:00,17:00-19:00, not "${text}"`);
  return found;
});

/** Share of one core. */
export const cpuShare = parser(share.hint, (given): number => {
  const value = share(given);
  if (value < 0.001) throw new Error(`needs a share from 0.1% to 100%, not "${String(given)}"`);
  return value;
});

/** Load average per core above which the machine counts as busy; null for no limit. */
export const maxLoad = parser('<load>', (given): number | null => {
  const value = Number(String(given).trim() || 'x');
  if (!(value > 0 && value <= 10_000)) throw new Error(`needs a load average such as 1.5, not "${String(given)}"`);
  return value;
});
