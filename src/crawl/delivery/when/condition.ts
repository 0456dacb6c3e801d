/**
 * Conditions of `--when`: a change is delivered only if its new version meets one of them. In: a text such as
 * `price < 100`, `contains: sold out` or `number dropped 10 %`. Out: the condition, as data.
 *
 *     condition  = clause { " and " clause }
 *     clause     = ("contains" | "lacks" | "appeared" | "disappeared") ":" words
 *                | name ("<" | "<=" | ">" | ">=" | "=" | "!=") number
 *                | name ("dropped" | "rose" | "changed") [ number [ "%" ] ]
 *     name       = words of the page before the number, or "number" for any number of the page
 */
import { OrbweaverError } from '../../../core/errors.ts';

const WORD_TESTS = ['contains', 'lacks', 'appeared', 'disappeared'] as const;
const COMPARISONS = ['<', '<=', '>', '>=', '=', '!='] as const;
const MOVES = ['dropped', 'rose', 'changed'] as const;

export type Clause =
  | { readonly test: (typeof WORD_TESTS)[number]; readonly words: string }
  | { readonly test: (typeof COMPARISONS)[number]; readonly name: string; readonly value: number }
  | {
      readonly test: (typeof MOVES)[number];
      readonly name: string;
      /** The number moved by at least this much; 0 for any move. */
      readonly by: number;
      /** `by` is a percentage of the earlier number. */
      readonly isPercent: boolean;
    };

/** All clauses must hold. */
export type Condition = readonly Clause[];

/** The name that stands for any number of the page. */
export const ANY_NUMBER = 'number';

const MAX_CHARS = 500;
const WORDS = /^([a-z]+): ?(.+)$/;
const COMPARISON = /^([^<>=!]+?) ?(<=|>=|!=|<|>|=) ?(-?\d+(?:\.\d+)?)$/;
const MOVE = /^(.+?) (dropped|rose|changed)(?: (?:by )?(\d+(?:\.\d+)?)( ?%)?)?$/;

/** Throws if the text is no condition. */
export function parseCondition(text: string): Condition {
  const plain = plainText(text).trim();
  if (plain === '' || plain.length > MAX_CHARS) throw badCondition(text);
  const clauses: Clause[] = [];
  for (const part of plain.split(' and ')) {
    const clause = clauseIn(part.trim());
    const last = clauses.at(-1);
    if (clause !== null) clauses.push(clause);
    // "contains: salt and pepper"
    else if (last !== undefined && 'words' in last)
      clauses.push({ ...clauses.pop()!, words: `${last.words} and ${part}` } as Clause);
    else throw badCondition(text);
  }
  return clauses;
}

function clauseIn(part: string): Clause | null {
  const [, test, words] = WORDS.exec(part) ?? [];
  const wordTest = WORD_TESTS.find((known) => known === test);
  if (wordTest !== undefined) return { test: wordTest, words: words!.trim() };
  const [, name, sign, value] = COMPARISON.exec(part) ?? [];
  if (name !== undefined) return { test: sign as (typeof COMPARISONS)[number], name, value: Number(value) };
  const [, moving, move, by = '0', percent] = MOVE.exec(part) ?? [];
  if (moving === undefined) return null;
  return {
    test: move as (typeof MOVES)[number],
    name: moving,
    by: Number(by),
    isPercent: percent !== undefined,
  };
}

/** Texts are compared without regard to letter case, and with single spaces. */
export function plainText(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase();
}

function badCondition(text: string): OrbweaverError {
  return new OrbweaverError(
    'ERR_BAD_OPTION',
    `--when does not understand "${text.slice(0, 100)}"; write for example "price < 100", "contains: sold out" or "number dropped 10 %"`,
  );
}
