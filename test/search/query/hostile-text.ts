/** Texts that are hard to read as a query, and what must hold for every text. A test and a proof use both. */
import { isDeepStrictEqual } from 'node:util';
import { describeQuery } from '../../../src/search/query/describe-query.ts';
import { formatQuery } from '../../../src/search/query/format-query.ts';
import { type ParsedQuery, parseQuery } from '../../../src/search/query/parse-query.ts';
import { isRestriction, type Query } from '../../../src/search/query/query.ts';
import { MAX_LEAVES, MAX_NESTING, MAX_QUERY_CHARS } from '../../../src/search/query/query-limits.ts';
import { QUERY_NOTE_CODES } from '../../../src/search/query/query-notes.ts';
import type { SeededRandom } from '../../../testbed/random.ts';

const PIECES = [
  ...[
    'AND',
    'OR',
    'XOR',
    'NOT',
    'NEAR',
    'NEAR/3',
    'NEAR/0',
    'NEAR/x',
    'AROUND(4)',
    '&&',
    '||',
    '|',
    '!',
    '-',
    '+',
    '=',
  ],
  ...[
    '(',
    ')',
    '()',
    '((',
    '))',
    '"',
    '“',
    '”',
    '«',
    '「',
    '\\',
    '\\\\',
    '\\"',
    '*',
    '**',
    '?',
    '~',
    '~3',
    '^2',
    ':',
    '/',
  ],
  ...['site:', 'intitle:', 'inurl:', 'inanchor:', 'any:', 'filetype:', 'ext:', 'lang:', 'date:', 'changed:', 'link:'],
  ...[
    'depth:',
    'before:',
    'after:',
    'titel:',
    'example.com',
    'https://a.test/b?c=(d)',
    '2026',
    '2026-02-30',
    '2026..2025',
  ],
  ...[
    '>=2026-10',
    '7d',
    '[2026 TO *]',
    '0..3',
    '<0',
    '..',
    'pdf',
    'en-US',
    'a',
    'word',
    'wor*',
    'w?rd',
    'what?',
    "it's",
  ],
  ...[
    'C++',
    '中文',
    'ß',
    '🦊',
    '\ud800',
    '\u0000',
    '\u200b',
    '\u3000',
    '\n',
    '\t',
    'é',
    'ı',
    '＂',
    '\u202e',
    '[::1]',
    '%',
  ],
];
/** A text of one of them alone, again and again, is hard to read. */
export const MANY = [
  ...[
    '(',
    ')',
    'NOT ',
    '-',
    '"',
    '\\',
    '*',
    'a ',
    'a OR ',
    '(a ',
    'a(',
    'NOT (',
    'intitle:(',
    'site:',
    '~',
    '^',
    '?',
    '&',
  ],
  ...[
    'a',
    ' ',
    ':',
    '"a" ',
    '" ',
    'a:',
    'link:(',
    'date:[',
    'a NEAR ',
    '!',
    '+a ',
    'wal* ',
    '\\(',
    '“',
    'AROUND(',
    '[',
  ],
];
const SPACES = ['', '', ' ', ' ', '  ', '\n'];
const MAX_NODES_OF_A_BRANCH = MAX_NESTING * 8;

export function hostileText(random: SeededRandom): string {
  switch (random.below(8)) {
    case 0:
      return random.pick(PIECES).repeat(1 + random.below(300));
    case 1:
      return Array.from({ length: random.below(40) }, () => String.fromCharCode(random.below(0x250))).join('');
    case 2: {
      const inner = pieces(random, 10);
      return `${random.pick(['(', 'a OR (', 'NOT (', 'intitle:(b '])}`.repeat(random.below(120)) + inner;
    }
    default:
      return pieces(random, 30);
  }
}

function pieces(random: SeededRandom, most: number): string {
  return Array.from({ length: random.below(most) }, () => random.pick(PIECES) + random.pick(SPACES)).join('');
}

/** What is wrong with the reading of this text, or null. */
export function faultOf(text: string, nowMs: number): string | null {
  const parsed = parseQuery(text, nowMs);
  const fault = parsedFault(parsed, text) ?? (parsed.query.kind === 'nothing' ? null : queryFault(parsed.query));
  if (fault !== null) return fault;
  const canonical = formatQuery(parsed.query);
  if (canonical.length > MAX_QUERY_CHARS) return null;
  const again = parseQuery(canonical, nowMs);
  // The canonical text may have more parentheses. With very many of them it is beyond the limit.
  if (again.notes.length > 0 && again.notes.every(({ code }) => code === 'nested-too-deep')) return null;
  if (parsed.query.kind !== 'nothing' && again.notes.length > 0) return `the canonical text ${canonical} has notes`;
  if (!isDeepStrictEqual(again.query, parsed.query)) return `the canonical text ${canonical} is another query`;
  return describeQuery(parsed.query).some((line) => line.trim() === '') ? 'a line of the description is empty' : null;
}

function parsedFault({ query, notes, words }: ParsedQuery, text: string): string | null {
  if (notes.some(({ code, message }) => !QUERY_NOTE_CODES.includes(code) || message === '')) return 'a note is wrong';
  if (query.kind === 'nothing' && notes.length === 0) return 'nothing is searched for, and no note says so';
  if (words.some(({ start, end }) => start >= end || end > text.length)) return 'a word has a wrong place';
  return leavesOf(query) > 2 * MAX_LEAVES ? 'the query has too many leaves' : null;
}

/** What query.ts says about trees. */
function queryFault(query: Query, depth = 0): string | null {
  if (depth > MAX_NODES_OF_A_BRANCH) return 'the tree is too deep';
  switch (query.kind) {
    case 'and':
    case 'or':
    case 'xor':
      if (query.operands.length < 2) return `${query.kind} has ${query.operands.length} operands`;
      return faultIn(query.operands, depth);
    case 'plain': {
      const { required, optional } = query;
      if (optional.length === 0 || optional.length + required.length < 2) return 'plain has too few operands';
      if (required.some(isRestriction)) return 'plain has a filter';
      if (optional.some(({ field }) => field !== optional[0]!.field)) return 'plain has words of several fields';
      return faultIn([...required, ...optional], depth);
    }
    case 'not':
      return query.operand.kind === 'not' ? 'not has a not' : queryFault(query.operand, depth + 1);
    case 'near': {
      if (query.operands.length < 2 || query.distance < 1) return 'near has too few operands or no distance';
      return query.operands.some(({ field }) => field === 'anchor')
        ? 'near has an anchor'
        : faultIn(query.operands, depth);
    }
    case 'word':
    case 'phrase':
    case 'pattern':
      return /[\p{L}\p{N}\p{So}\p{Sc}]/u.test(query.text) ? null : `${query.kind} has no letter`;
    case 'nothing':
      return 'nothing is inside a tree';
    case 'date':
    case 'changed':
      return (query.fromMs ?? 0) < (query.toMs ?? Number.MAX_VALUE) || query.fromMs === null
        ? null
        : 'a range is empty';
    default:
      return null;
  }
}

function faultIn(operands: readonly Query[], depth: number): string | null {
  for (const operand of operands) {
    const fault = queryFault(operand, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

function leavesOf(query: Query): number {
  switch (query.kind) {
    case 'and':
    case 'or':
    case 'xor':
    case 'near':
      return query.operands.reduce((sum, each) => sum + leavesOf(each), 0);
    case 'plain':
      return [...query.required, ...query.optional].reduce((sum, each) => sum + leavesOf(each), 0);
    case 'not':
      return leavesOf(query.operand);
    default:
      return 1;
  }
}
