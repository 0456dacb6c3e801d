/**
 * Writes the canonical text of a query. In: a tree as query.ts describes it. Out: a text that is parsed as the same
 * tree, without notes, if it is within the limits of a query: it may have more parentheses than what the user typed.
 */
import { formatDateRange } from './date-range.ts';
import { FIELD_NAMES } from './fields.ts';
import { type FilterQuery, isRestriction, type PlainQuery, type Query, type WordField } from './query.ts';
import { inQuotes } from './read-phrase.ts';
import { escapePattern, escapeWord } from './read-word.ts';

/** How tightly the operators bind. A part that binds less tightly than its place needs parentheses. */
const BESIDE = 0;
const OR = 1;
const XOR = 2;
const AND = 3;
const NEAR = 4;
const SINGLE = 5;
const LEVELS = { or: OR, xor: XOR, and: AND } as const;

export function formatQuery(query: Query): string {
  return query.kind === 'nothing' ? '' : format(query, 'any', BESIDE);
}

/** `field` is that of the surrounding parenthesis. It is not written again inside. */
function format(query: Query, field: WordField, level: number): string {
  switch (query.kind) {
    case 'plain': {
      const own = query.optional[0]!.field;
      return own === field
        ? wrapped(besides(query, field), BESIDE, level)
        : `${FIELD_NAMES[own]}:(${besides(query, own)})`;
    }
    case 'and': {
      const parts = besidesWithLimits(query.operands, field);
      if (parts !== null) return wrapped(parts, BESIDE, level);
      return joined(query, field, level);
    }
    case 'or':
    case 'xor':
      return joined(query, field, level);
    case 'near': {
      const parts = query.operands.map((operand) => format(operand, field, SINGLE));
      return wrapped(parts.join(` NEAR/${query.distance} `), NEAR, level);
    }
    case 'not':
      // NOT is a sign of its operand, so it needs no parentheses of its own.
      return `NOT ${format(query.operand, field, SINGLE)}`;
    case 'word':
      return fieldPrefix(query.field, field) + (query.isExact ? '=' : '') + escapeWord(query.text);
    case 'pattern':
      return fieldPrefix(query.field, field) + escapePattern(query.text);
    case 'phrase':
      return fieldPrefix(query.field, field) + inQuotes(query.text);
    case 'nothing':
      return '()';
    default:
      return formatFilter(query);
  }
}

function wrapped(text: string, own: number, level: number): string {
  return own < level ? `(${text})` : text;
}

function joined(query: Query & { kind: 'and' | 'or' | 'xor' }, field: WordField, level: number): string {
  const own = LEVELS[query.kind];
  const parts = query.operands.map((operand) => format(operand, field, own + 1));
  return wrapped(parts.join(` ${query.kind.toUpperCase()} `), own, level);
}

/** Words beside each other. Everything that is required is written so that it is not optional. */
function besides(query: PlainQuery, field: WordField): string {
  const required = query.required.map((each) => (isBare(each, field) ? '+' : '') + format(each, field, SINGLE));
  return [...required, ...query.optional.map((each) => format(each, field, SINGLE))].join(' ');
}

/** `a b site:example.com -c`: words, and beside them filters and exclusions. Null: the operands are something else. */
function besidesWithLimits(operands: readonly Query[], field: WordField): string | null {
  const first = operands.findIndex(isRestriction);
  if (first === -1 || first > 1 || !operands.slice(first).every(isRestriction)) return null;
  const [core] = operands.slice(0, first);
  const limits = operands.slice(first).map((each) => {
    return each.kind === 'not' ? `-${format(each.operand, field, SINGLE)}` : format(each, field, SINGLE);
  });
  if (core === undefined) return limits.join(' ');
  return [format(core, field, core.kind === 'plain' ? BESIDE : SINGLE), ...limits].join(' ');
}

function isBare(query: Query, field: WordField): boolean {
  return (query.kind === 'pattern' || (query.kind === 'word' && !query.isExact)) && query.field === field;
}

function fieldPrefix(own: WordField, field: WordField): string {
  return own === field ? '' : `${FIELD_NAMES[own]}:`;
}

function formatFilter(query: FilterQuery): string {
  switch (query.kind) {
    case 'site':
      return `site:${formatUrl(query.host + query.path)}`;
    case 'link':
      return `link:${formatUrl(query.url)}`;
    case 'depth':
      return `depth:${query.from === query.to ? query.from : `${query.from}..${query.to ?? ''}`}`;
    case 'date':
    case 'changed':
      return `${query.kind}:${formatDateRange(query)}`;
    default:
      return `${query.kind}:${query.value}`;
  }
}

function formatUrl(url: string): string {
  return /[()"\\]/.test(url) ? inQuotes(url) : url;
}
