/** The options of the web interface. Like the table in options.ts, this table defines everything about its options. */
import { local, type OptionSource, type OptionsOf, resolveTable, secret } from './option-table.ts';
import { flag, list, maybeText, parser, wholeNumber } from './option-values.ts';

const none: readonly string[] = [];
/** A shorter token could be guessed. */
const LEAST_TOKEN_CHARS = 20;

const token = parser('<text>', (given): string | null => {
  const text = String(given);
  if (!/^[\w~.-]+$/.test(text) || text.length < LEAST_TOKEN_CHARS) {
    throw new Error(`needs at least ${LEAST_TOKEN_CHARS} letters, digits, "-", "_", "." and "~"`);
  }
  return text;
});

export const SERVE_OPTIONS = {
  port: local(wholeNumber(0, 65_535), 8420, 'port of the web interface; 0 chooses a free one'),
  host: local(maybeText, '127.0.0.1', 'address to listen on; every address but loopback needs TLS or --behind-proxy'),
  tlsCert: local(maybeText, null, 'file with the TLS certificate, in PEM form'),
  tlsKey: local(maybeText, null, 'file with the TLS key, in PEM form'),
  behindProxy: local(list, none, 'name under which a proxy with TLS offers the interface, such as crawl.example.org'),
  readOnly: local(flag, false, 'nothing can be changed; copies of crawls with a header or a login are not shown'),
  newIn: local(maybeText, null, 'folder in which the interface may make new copies (default: it makes none)'),
  token: secret(
    token,
    null,
    'token that allows changes; better set ORBWEAVER_TOKEN (default: a new one at each start)',
  ),
} as const;

export type ServeOptions = OptionsOf<typeof SERVE_OPTIONS>;
export type ServeOptionName = keyof typeof SERVE_OPTIONS;
export const SERVE_OPTION_NAMES = Object.keys(SERVE_OPTIONS) as ServeOptionName[];

export function resolveServeOptions(sources: readonly OptionSource[]): ServeOptions {
  return resolveTable(SERVE_OPTIONS, sources);
}
