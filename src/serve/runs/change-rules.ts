/**
 * Shows the rules of a crawl, and changes those of a fixed list. In: names and values from a request. Out: the values
 * in `control.json`, from where the running crawl takes them within a second, or the next run when it starts.
 */
import { type ChangeableRule, isChangeable } from '../../core/options/changeable-rules.ts';
import { optionText } from '../../core/options/option-text.ts';
import { flagName } from '../../core/options/options.ts';
import { RULE_OPTIONS, type StoredRules, writtenRules } from '../../core/options/stored-rules.ts';
import { shellWord } from '../../core/text/readable.ts';
import { giveOrder, readControl } from '../../crawl/live/control-file.ts';
import { compilePattern } from '../../url/pattern.ts';
import type { Rule, Rules } from '../contract/runs.ts';
import { ApiError } from '../http/api-error.ts';
import type { ServedCopy } from '../served-copy.ts';
import { shellWords } from './command-words.ts';

const MOST_PATTERNS = 200;
const MAX_PATTERN_CHARS = 500;

export function rulesOf(copy: ServedCopy, stored: StoredRules | null): Rules {
  const pending = readControl(copy.place.dir).rules;
  const values = stored?.values ?? {};
  const rules = Object.entries(RULE_OPTIONS).map(([name, { parse, default: fallback, help }]): Rule => {
    const isDefault = !Object.hasOwn(values, name);
    const value = isDefault ? fallback : values[name];
    const waiting = Object.hasOwn(pending, name) ? optionText(parse(pending[name]), parse.hint) : null;
    return {
      ...{ name, help, value, isDefault },
      flag: `--${flagName(name)}`,
      hint: parse.hint,
      text: optionText(value, parse.hint),
      canChange: isChangeable(name) && copy.place.cluster === null,
      pending: waiting,
    };
  });
  return { rules, command: shellWords('crawl', copy.again, ...flagsOf(pending)) };
}

/** Throws if one of the changes is refused; then none of them happens. */
export function changeRules({ place }: ServedCopy, changes: Readonly<Record<string, unknown>>): void {
  if (place.cluster !== null) {
    throw new ApiError('CONFLICT', 'rules of a crawl in a database are changed with orbweaver crawl --store … --plan');
  }
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(changes)) {
    if (!isChangeable(name)) {
      throw new ApiError('BAD_REQUEST', `the rule ${name} cannot be changed here; give it on the command line`);
    }
    written[name] = toWritten(name, value);
  }
  // A paused crawl stays paused.
  const { action } = readControl(place.dir);
  giveOrder(place.dir, { action, rules: written });
}

/** The value as a configuration file has it. Null restores the default. */
function toWritten(name: ChangeableRule, value: unknown): unknown {
  const { parse, default: fallback } = RULE_OPTIONS[name]!;
  if (value === null) return fallback === null ? 'auto' : writtenRules({ [name]: fallback })[name];
  if (name === 'include' || name === 'exclude') checkPatterns(name, value);
  try {
    parse(value);
  } catch (error) {
    throw new ApiError('BAD_REQUEST', `--${flagName(name)} ${(error as Error).message}`);
  }
  return Array.isArray(value) && value.length === 0 ? 'none' : value;
}

/** A regular expression of a request could take for ever, so only patterns with `*` are taken. */
function checkPatterns(name: string, value: unknown): void {
  const isFitting =
    Array.isArray(value) &&
    value.length <= MOST_PATTERNS &&
    value.every((one) => typeof one === 'string' && one !== '' && one.length <= MAX_PATTERN_CHARS);
  if (!isFitting) {
    throw new ApiError(
      'BAD_REQUEST',
      `${name} must be a list of at most ${MOST_PATTERNS} patterns of at most ${MAX_PATTERN_CHARS} characters`,
    );
  }
  for (const pattern of value as readonly string[]) {
    if (pattern.startsWith('/') && pattern.lastIndexOf('/') > 0) {
      throw new ApiError(
        'BAD_REQUEST',
        `${name}: regular expressions are taken only on the command line; use * for any characters`,
      );
    }
    compilePattern(pattern);
  }
}

function flagsOf(rules: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(rules).flatMap(([name, value]) =>
    [value].flat().map((one) => `--${flagName(name)} ${shellWord(String(one))}`),
  );
}
