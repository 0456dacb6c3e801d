/**
 * Options that hold secrets, and user text that may contain a secret by mistake. The values of these options are
 * checked where they are read: from a flag, the environment, a file or a program. No message ever repeats a value,
 * because a refused value is most often a password in the wrong form.
 */
import { list, maybeText, type Parser, parser } from './option-values.ts';

export const NOT_REPEATED = '(the value is not shown, because it may contain a secret)';

/** `example.org`, `example.org:8080`, `[::1]:8080`, `https://example.org`. */
const HOST = String.raw`(?:https?:\/\/)?(?:[^\s|@/?#:*[\]]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?`;
const HEADER = new RegExp(String.raw`^(\*|\*\.[^\s|@/?#:*]+(?::\d{1,5})?|${HOST})\|([^:\s|]+):(.*)$`);
const LOGIN = new RegExp(String.raw`^(${HOST})\|([^:]*:.*)$`);

/** Splits `host|Name: value` into host, header name and value. Returns null for any other text. */
export function headerParts(given: string): readonly [host: string, name: string, value: string] | null {
  const [, host, name, value] = HEADER.exec(given) ?? [];
  return host === undefined ? null : [host, name!, value!.trimStart()];
}

/** Splits `host|user:password` into host and login. Returns null for any other text. */
export function loginParts(given: string): readonly [host: string, login: string] | null {
  const [, host, login] = LOGIN.exec(given) ?? [];
  return host === undefined ? null : [host, login!];
}

export const headerList = secretList('"host|Name: value"', (item) => headerParts(item) !== null);
export const loginList = secretList('"host|user:password" with one host', (item) => loginParts(item) !== null);

function secretList(form: string, isRight: (item: string) => boolean): Parser<readonly string[]> {
  const parse = parser('<text>', (given): readonly string[] => {
    const items = list(given);
    if (!items.every(isRight)) throw new Error(`needs ${form} ${NOT_REPEATED}`);
    return items;
  });
  return Object.assign(parse, { isSeveral: true });
}

/** The URL of a proxy may contain a login. */
export const proxyUrl = parser('<url>', (given): string | null => {
  const written = maybeText(given);
  if (written === null || /^https?:$/.test(URL.parse(written)?.protocol ?? '')) return written;
  throw new Error(`needs an http or https URL, such as http://proxy.example:3128 ${NOT_REPEATED}`);
});

/** A URL for a message. The text before an `@` is removed, because it may be a password. */
export function withoutLogin(written: string): string {
  return written.replace(/[^\s/?#]+/g, (part) => (part.includes('@') ? `…${part.slice(part.lastIndexOf('@'))}` : part));
}

/** Quotes an unknown name that the user wrote. Text that cannot be a name is not repeated. */
export function unknownName(written: string): string {
  return /^-{0,2}[\w-]{1,60}$/.test(written) ? `"${written}"` : 'with this name';
}
