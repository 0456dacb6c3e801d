/**
 * Parsers for option values. A parser takes the value from a flag, an environment variable or a YAML file and returns
 * the parsed value, or throws an Error whose message completes the sentence "--name …".
 */
export type Parser<T> = ((given: unknown) => T) & {
  readonly hint: string;
  /** For a flag with an optional value: decides whether the next word is the value. */
  readonly takesWord?: (word: string) => boolean;
  /** True if the flag may be given several times. */
  readonly isSeveral?: boolean;
};

export function parser<T>(hint: string, parse: (given: unknown) => T): Parser<T> {
  return Object.assign(parse, { hint });
}

export const text = parser('<text>', (given): string => {
  if (typeof given === 'number') return String(given);
  if (typeof given !== 'string' || given.length === 0) throw new Error('needs a text');
  return given;
});

/** Written for "no value", to replace a stored value. An empty text is refused: a variable may be empty by mistake. */
const NONE = 'none';

/** A text that may be missing (null). */
export const maybeText = parser('<text>', (given): string | null => (given === NONE ? null : text(given)));

export const flag = parser('', (given): boolean => {
  if (typeof given === 'boolean') return given;
  if (given === 'true' || given === '1' || given === 'yes') return true;
  if (given === 'false' || given === '0' || given === 'no') return false;
  throw new Error('must be true or false');
});

export function wholeNumber(least: number, most: number): Parser<number> {
  return parser('<n>', (given) => {
    const value = typeof given === 'number' ? given : Number(String(given).replaceAll('_', '').trim() || 'x');
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      throw new Error(`needs a whole number from ${least} to ${most}, not "${String(given)}"`);
    }
    return value;
  });
}

/** A number from 0 to 1, written as `0.8` or `80%`. */
export const share = parser('<share>', (given): number => {
  const found = /^(\d+(?:\.\d+)?|\.\d+)\s*(%)?$/.exec(String(given).trim());
  const value = found ? Number(found[1]) / (found[2] ? 100 : 1) : Number.NaN;
  if (!(value <= 1)) throw new Error(`needs a share from 0 to 1, such as 0.8, not "${String(given)}"`);
  return value;
});

export function oneOf<const T extends readonly string[]>(words: T): Parser<T[number]> {
  return parser(words.join('|'), (given) => {
    const found = words.find((word) => word === given);
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}, not "${String(given)}"`);
    return found;
  });
}

/** A flag that may be given several times, or a YAML list. `none` is the empty list. */
export const list: Parser<readonly string[]> = Object.assign(
  parser('<text>', (given): readonly string[] => {
    const items = Array.isArray(given) ? given : [given];
    return items.length === 1 && items[0] === NONE ? [] : items.map((item) => text(item));
  }),
  { isSeveral: true },
);

const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `250ms`, `30s`, `5m`, `24h`. A bare number means seconds, as people write timeouts. */
export const durationMs = parser('<time>', (given): number => {
  const found = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(String(given).trim());
  if (!found) throw new Error(`needs a time such as 500ms, 30s or 5m, not "${String(given)}"`);
  const ms = Math.round(Number(found[1]) * DURATION_MS[found[2] ?? 's']!);
  if (ms > 365 * DURATION_MS.d!) throw new Error('is longer than a year');
  return ms;
});

/** A delay, or `auto` (null), which adapts to the response times of the host. */
export const delayMs = parser('<time>|auto', (given): number | null => (given === 'auto' ? null : durationMs(given)));

const SIZE_BYTES: Readonly<Record<string, number>> = { b: 1, kb: 1_000, mb: 1_000_000, gb: 1_000_000_000 };

/** `500kb`, `10mb`, `1gb`. A bare number means bytes. */
export const sizeBytes = parser('<size>', (given): number => {
  const found = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/i.exec(String(given).trim());
  if (!found) throw new Error(`needs a size such as 500kb or 10mb, not "${String(given)}"`);
  const bytes = Math.round(Number(found[1]) * SIZE_BYTES[(found[2] ?? 'b').toLowerCase()]!);
  if (bytes < 1 || bytes > 1e12) throw new Error('needs a size from 1 byte to 1000 GB');
  return bytes;
});
