/**
 * The value of `--allow-private`. True: every private address, except the addresses that must be named. A
 * list: only these addresses, networks and host names. False: only the addresses that the seeds allow.
 * Null: the option was not given.
 */
import { isIP } from 'node:net';
import { type Parser, parser } from './option-values.ts';

export type AllowPrivate = boolean | readonly string[] | null;

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes'].map((word) => [word, true] as const),
  ...['false', '0', 'no'].map((word) => [word, false] as const),
]);

/**
 * Parses `true`, or hosts separated by commas. A bare flag and a list contradict each other and are refused together.
 */
const parse = parser('[<hosts>]', (given): AllowPrivate => {
  const items = (Array.isArray(given) ? given : [given]).flatMap((item) =>
    typeof item === 'string' ? item.split(',').map((part) => part.trim()) : [item],
  );
  if (items.length === 1) {
    const [only] = items;
    const word = typeof only === 'boolean' ? only : WORDS.get(String(only).toLowerCase());
    if (word !== undefined) return word;
  }
  if (items.includes(true)) {
    throw new Error('is given without a value, which allows all addresses, and also with hosts; use one of the two');
  }
  return [...new Set(items.map(hostOrNetwork))];
});

export const allowPrivate: Parser<AllowPrivate> = Object.assign(parse, { takesWord: isHostList });

const BRACKETS = /^\[|\]$/g;

/**
 * Decides whether the word after a bare flag is its value. A word with a scheme, a path or a port is a seed instead.
 */
function isHostList(word: string): boolean {
  return word.split(',').every((part) => tryHostOrNetwork(part) !== null);
}

function hostOrNetwork(given: unknown): string {
  const found = typeof given === 'string' ? tryHostOrNetwork(given) : null;
  if (found !== null) return found;
  throw new Error(
    `needs addresses, networks such as 10.0.0.0/8 or host names, without scheme and port, not "${String(given)}"`,
  );
}

/** Returns the form that hosts have in URLs: one spelling for each address; names in lower case without a final dot. */
function tryHostOrNetwork(text: string): string | null {
  const network = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (network) {
    const address = network[1]!.replace(BRACKETS, '');
    const bits = Number(network[2]);
    const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    return bits <= most && !address.includes('%') ? `${address}/${bits}` : null;
  }
  const address = text.replace(BRACKETS, '');
  const host = isIP(address) === 6 ? `[${address}]` : text;
  if (!/^(?:\[[\da-f:.]+\]|[^-\s/?#@:[\]\\%*][^\s/?#@:[\]\\%*]*)$/i.test(host)) return null;
  const hostname = URL.parse(`http://${host}/`)?.hostname;
  return hostname ? hostname.replace(BRACKETS, '').replace(/\.$/, '') || null : null;
}
