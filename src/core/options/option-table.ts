/** A table of options: name, kind, parser, default and help. Everything about an option follows from its row. */
import { OrbweaverError } from '../errors.ts';
import type { Parser } from './option-values.ts';

/**
 * A rule belongs to the crawl: it is stored, and every later run follows it. A local setting belongs to this machine or
 * to this run. A secret is never stored; the crawl remembers only that it uses one.
 */
export type OptionKind = 'rule' | 'local' | 'secret';

export interface OptionRow<T> {
  readonly kind: OptionKind;
  readonly parse: Parser<T>;
  readonly default: T;
  readonly help: string;
}

export type OptionTable = Readonly<Record<string, OptionRow<unknown>>>;

export type OptionsOf<Table extends OptionTable> = { readonly [K in keyof Table]: Table[K]['default'] };

/** The unparsed values of one source, by option name. They may include options of other tables. */
export interface OptionSource {
  readonly from: string;
  readonly given: Readonly<Record<string, unknown>>;
}

export function rule<T>(parse: Parser<T>, fallback: NoInfer<T>, help: string): OptionRow<T> {
  return { kind: 'rule', parse, default: fallback, help };
}

export function local<T>(parse: Parser<T>, fallback: NoInfer<T>, help: string): OptionRow<T> {
  return { kind: 'local', parse, default: fallback, help };
}

export function secret<T>(parse: Parser<T>, fallback: NoInfer<T>, help: string): OptionRow<T> {
  return { kind: 'secret', parse, default: fallback, help };
}

/**
 * `maxBody` → `--max-body`. The environment variable is `ORBWEAVER_MAX_BODY`, the key in the
 * configuration file `max-body`.
 */
export function flagName(name: string): string {
  return name.replace(/[A-Z]|\d+/g, (part) => (/\d/.test(part) ? part : `-${part.toLowerCase()}`));
}

/** Merges the sources, strongest first (flag > environment > file > stored rules > default), and freezes the result. */
export function resolveTable<Table extends OptionTable>(
  table: Table,
  sources: readonly OptionSource[],
): OptionsOf<Table> {
  const resolved: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const source = sources.find(({ given }) => given[name] !== undefined);
    resolved[name] = source ? parseOption(name, row, source.given[name], source.from) : row.default;
  }
  return Object.freeze(resolved) as OptionsOf<Table>;
}

function parseOption(name: string, row: OptionRow<unknown>, given: unknown, from: string): unknown {
  try {
    return row.parse(given);
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--${flagName(name)} ${(error as Error).message} (${from})`);
  }
}
