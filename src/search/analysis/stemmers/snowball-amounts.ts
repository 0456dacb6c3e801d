/** Numbers in a Snowball program: sums, comparisons and assignments. */
import type { Command } from './snowball-commands.ts';
import type { TokenReader } from './snowball-tokens.ts';
import type { SnowballWord } from './snowball-word.ts';

export type Amount = () => number;

/** What all parts of the compiler share: the tokens, and the names and values of the program. */
export interface Scope {
  readonly tokens: TokenReader;
  readonly word: SnowballWord;
  /** The commands that are read work from the end of the word. */
  isBackward: boolean;
  /** What each name was declared as: `integers`, `booleans`, `strings`, `groupings`, `routines` or `externals`. */
  readonly kinds: Map<string, string>;
  readonly numbers: Map<string, number>;
  readonly flags: Map<string, boolean>;
  readonly strings: Map<string, string>;
}

/** `$x = …`, `$x += …`, `$x < …` and `$(… < …)`. */
export function readComparison(scope: Scope): Command {
  const { tokens, numbers } = scope;
  if (tokens.takes('(')) {
    const left = readAmount(scope);
    const operator = tokens.next().text;
    const right = readAmount(scope);
    tokens.expect(')');
    return compare(left, operator, right);
  }
  const name = tokens.next().text;
  const operator = tokens.next().text;
  const right = readAmount(scope);
  const left = () => numbers.get(name) ?? 0;
  switch (operator) {
    case '=':
      return () => done(numbers.set(name, right()));
    case '+=':
      return () => done(numbers.set(name, left() + right()));
    case '-=':
      return () => done(numbers.set(name, left() - right()));
    default:
      return compare(left, operator, right);
  }
}

export function readAmount(scope: Scope): Amount {
  const { tokens } = scope;
  let left = readTerm(scope);
  for (;;) {
    const before = left;
    if (tokens.takes('+')) {
      const right = readTerm(scope);
      left = () => before() + right();
    } else if (tokens.takes('-')) {
      const right = readTerm(scope);
      left = () => before() - right();
    } else {
      return left;
    }
  }
}

function readTerm(scope: Scope): Amount {
  const { word, tokens, numbers, kinds, isBackward } = scope;
  const { kind, text } = tokens.next();
  if (kind === 'number') return () => Number(text);
  switch (text) {
    case '(': {
      const amount = readAmount(scope);
      tokens.expect(')');
      return amount;
    }
    case '-': {
      const amount = readTerm(scope);
      return () => -amount();
    }
    case 'cursor':
      return () => word.cursor;
    case 'limit':
      return isBackward ? () => word.limitBackward : () => word.limit;
    case 'len':
      return () => word.current.length;
    case 'sizeof': {
      const { length } = tokens.next().text;
      return () => length;
    }
    default:
      if (kinds.get(text) !== 'integers') throw new Error(`${text} is no number.`);
      return () => numbers.get(text) ?? 0;
  }
}

function compare(left: Amount, operator: string, right: Amount): Command {
  switch (operator) {
    case '<':
      return () => left() < right();
    case '<=':
      return () => left() <= right();
    case '>':
      return () => left() > right();
    case '>=':
      return () => left() >= right();
    case '==':
      return () => left() === right();
    case '!=':
      return () => left() !== right();
    default:
      throw new Error(`${operator} compares no numbers.`);
  }
}

/** The answer of a command that only has an effect. */
export function done(_effect: unknown): boolean {
  return true;
}
