/**
 * The rules of a crawl, as they are stored with it. In: the options that the user gives, and the rules that are stored.
 * Out: the options that hold from now on, the rules to store, and what has changed.
 *
 * What always holds: the user's values come first. Secrets and local settings are neither stored nor read from a store:
 * otherwise anybody who can write to a shared database could have our secrets sent elsewhere, or our files opened. For
 * a secret the store has only its name, so that a later run does not silently go without it.
 */
import { OrbweaverError } from '../errors.ts';
import { CLUSTER_OPTIONS } from './cluster-options.ts';
import { flagName, type OptionSource, type OptionTable, resolveTable } from './option-table.ts';
import { optionText } from './option-text.ts';
import { CRAWL_OPTIONS, type CrawlOptions, OPTION_NAMES, type OptionName, resolveOptions } from './options.ts';
import { REFRESH_OPTIONS, type RefreshOptions, resolveRefreshOptions } from './refresh-options.ts';

export interface StoredRules {
  /** The rules that differ from their defaults, by the names of the options. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The names of the secret options that the crawl uses. */
  readonly secrets: readonly OptionName[];
}

export interface RuleChange {
  readonly name: string;
  /** The change in words: `--limit 50 (was 5)`. */
  readonly text: string;
}

export interface SettledRules {
  readonly options: CrawlOptions;
  readonly refresh: RefreshOptions;
  /** The rules to store. */
  readonly rules: StoredRules;
  /** Empty for a crawl that has no stored rules yet. */
  readonly changes: readonly RuleChange[];
  /** The secrets that the crawl uses and nobody gave. */
  readonly missing: readonly OptionName[];
}

export const RULE_OPTIONS: OptionTable = Object.fromEntries(
  Object.entries({ ...CRAWL_OPTIONS, ...REFRESH_OPTIONS, ...CLUSTER_OPTIONS }).filter(([, row]) => row.kind === 'rule'),
);

/** The secrets of requests. The secret of a webhook is not among them, because the webhook itself is not stored. */
export const SECRET_NAMES: readonly OptionName[] = OPTION_NAMES.filter((name) => CRAWL_OPTIONS[name].kind === 'secret');

const NO_RULES: StoredRules = { values: {}, secrets: [] };

/** Parses stored rules. They may come from an older version, with all options, or from a stranger's archive file. */
export function parseRules(text: string): StoredRules {
  const stored = toObject(text);
  const { secrets } = stored;
  return {
    values: differing(Object.fromEntries(Object.keys(RULE_OPTIONS).map((name) => [name, stored[name]]))),
    secrets: SECRET_NAMES.filter((name) => Array.isArray(secrets) && secrets.includes(name)),
  };
}

function toObject(text: string): Record<string, unknown> {
  try {
    const parsed = JSON.parse(text) as unknown;
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function rulesText({ values, secrets }: StoredRules): string {
  return JSON.stringify(secrets.length === 0 ? values : { ...values, secrets });
}

/** The stored rules as a source of options, for `resolveOptions`. It is weaker than every source of the user. */
export function sourceOf({ values }: StoredRules): OptionSource {
  return { from: 'rules of the crawl', given: writtenRules(values) };
}

/** The rules as a configuration file has them. A stored time is in milliseconds; a bare number would mean seconds. */
export function writtenRules(values: StoredRules['values']): Record<string, unknown> {
  const written = Object.entries(values).map(([name, value]) => {
    const { hint } = RULE_OPTIONS[name]!.parse;
    const hasUnit = typeof value === 'number' && (hint.startsWith('<time>') || hint === '<size>');
    return [name, hasUnit ? optionText(value, hint) : value];
  });
  return Object.fromEntries(written);
}

/** The options that the user gave without the rules of the crawl: a worker takes those from the store. */
export function withoutRules(given: readonly OptionSource[]): OptionSource[] {
  return given.map(({ from, given: all }) => ({
    from,
    given: Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(RULE_OPTIONS, name))),
  }));
}

/** `stored` is null for a crawl without stored rules: a new one, or one of an old version. */
export function settleRules(given: readonly OptionSource[], stored: StoredRules | null): SettledRules {
  const before = stored ?? NO_RULES;
  const sources = [...given, sourceOf(withoutReplaced(before, given))];
  const options = resolveOptions(sources);
  const isGiven = (name: OptionName): boolean => given.some((source) => source.given[name] !== undefined);
  const isUsed = (name: OptionName): boolean => isOther(options[name], CRAWL_OPTIONS[name].default);
  const rules: StoredRules = {
    values: differing(resolveTable(RULE_OPTIONS, sources)),
    secrets: SECRET_NAMES.filter((name) => (isGiven(name) ? isUsed(name) : before.secrets.includes(name))),
  };
  return {
    options,
    refresh: resolveRefreshOptions(sources),
    rules,
    changes: stored === null ? [] : changesBetween(before, rules),
    missing: before.secrets.filter((name) => !isGiven(name)),
  };
}

/** A topic is either words or examples. The one that is given replaces the other one that is stored. */
const TOPIC_NAMES = ['topic', 'topicExamples'];

function withoutReplaced(rules: StoredRules, given: readonly OptionSource[]): StoredRules {
  if (!given.some((source) => TOPIC_NAMES.some((name) => source.given[name] !== undefined))) return rules;
  const others = Object.entries(rules.values).filter(([name]) => !TOPIC_NAMES.includes(name));
  return { ...rules, values: Object.fromEntries(others) };
}

function changesBetween(before: StoredRules, after: StoredRules): RuleChange[] {
  const changed = Object.entries(RULE_OPTIONS).flatMap(([name, { parse, default: fallback }]) => {
    const [old, now] = [before, after].map(({ values }) => (Object.hasOwn(values, name) ? values[name] : fallback));
    if (!isOther(old, now)) return [];
    return [{ name, text: `--${flagName(name)} ${optionText(now, parse.hint)} (was ${optionText(old, parse.hint)})` }];
  });
  const secrets = SECRET_NAMES.filter((name) => before.secrets.includes(name) !== after.secrets.includes(name));
  return [
    ...changed,
    ...secrets.map((name) => ({
      name,
      text: `--${flagName(name)} is ${after.secrets.includes(name) ? 'needed from now on' : 'no longer needed'}`,
    })),
  ];
}

/** Throws if a run would go without a secret that the crawl uses. */
export function refuseMissing(missing: readonly OptionName[]): void {
  if (missing.length === 0) return;
  const flags = missing.map((name) => `--${flagName(name)}`);
  const all = flags.join(' and ');
  throw new OrbweaverError(
    'ERR_SECRET_MISSING',
    `this crawl uses ${all}, and secrets are not stored with a crawl; give ${all} again, or ` +
      `${flags.map((flag) => `${flag} none`).join(' ')} to continue without`,
  );
}

/** The rules that differ from their defaults. A missing value is the default. */
function differing(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value !== null && value !== undefined && isOther(value, RULE_OPTIONS[name]!.default),
    ),
  );
}

function isOther(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}
