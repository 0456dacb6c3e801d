/** The commands of the Snowball language that contain no other commands. */
import { type Amount, done, readAmount, type Scope } from './snowball-amounts.ts';
import type { Command } from './snowball-commands.ts';

/** Commands without other commands in them. */
export function readSimple(scope: Scope, text: string): Command | null {
  const { word, tokens, numbers, flags, strings, isBackward } = scope;
  switch (text) {
    case '[':
    case ']': {
      const isKet = (text === ']') !== isBackward;
      return () => {
        if (isKet) word.ket = word.cursor;
        else word.bra = word.cursor;
        return true;
      };
    }
    case 'delete':
      return () => word.replaceSlice('');
    case 'next':
      return hop(scope, () => 1);
    case 'hop':
      return hop(scope, readAmount(scope));
    case 'true':
      return () => true;
    case 'false':
      return () => false;
    case 'tolimit':
      return () => {
        word.cursor = isBackward ? word.limitBackward : word.limit;
        return true;
      };
    case 'atlimit':
      return () => (isBackward ? word.cursor <= word.limitBackward : word.cursor >= word.limit);
    case 'tomark': {
      const mark = readAmount(scope);
      return () => {
        const to = mark();
        if (isBackward ? word.cursor < to : word.cursor > to) return false;
        word.cursor = to;
        return true;
      };
    }
    case 'atmark': {
      const mark = readAmount(scope);
      return () => word.cursor === mark();
    }
    case 'setmark': {
      const name = tokens.next().text;
      return () => done(numbers.set(name, word.cursor));
    }
    case 'set':
    case 'unset': {
      const name = tokens.next().text;
      return () => done(flags.set(name, text === 'set'));
    }
    case '->': {
      const name = tokens.next().text;
      return () => done(strings.set(name, word.slice));
    }
    default:
      return null;
  }
}

function hop({ word, isBackward }: Scope, amount: Amount): Command {
  const direction = isBackward ? -1 : 1;
  return () => {
    const to = word.cursor + direction * amount();
    if (to < word.limitBackward || to > word.limit) return false;
    word.cursor = to;
    return true;
  };
}

/** Replaces the slice, or inserts text at the cursor. */
export function readChange({ word, tokens, strings, isBackward }: Scope, text: string): Command {
  const { kind, text: given } = tokens.next();
  const value = kind === 'literal' ? () => given : () => strings.get(given) ?? '';
  if (text === '<-') return () => word.replaceSlice(value());
  const movesCursor = (text === 'attach') === isBackward;
  return () => word.insert(value(), movesCursor);
}
