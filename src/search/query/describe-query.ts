/** Says in short lines how a query was understood, for `--explain`. A part of a part is indented. */
import { formatDateRange } from './date-range.ts';
import type {
  FilterQuery,
  NearQuery,
  PatternQuery,
  PhraseQuery,
  PlainQuery,
  Query,
  WordField,
  WordQuery,
} from './query.ts';

const PLACES: Readonly<Record<WordField, string>> = {
  any: '',
  title: ' in the title',
  url: ' in the URL',
  anchor: ' in the text of a link to the page',
};
const INDENT = '  ';

export function describeQuery(query: Query): string[] {
  switch (query.kind) {
    case 'plain':
      return describePlain(query);
    case 'and':
      return list('All of these:', query.operands);
    case 'or':
      return list('At least one of these:', query.operands);
    case 'xor':
      return list(query.operands.length === 2 ? 'Exactly one of these:' : 'An odd number of these:', query.operands);
    case 'not': {
      const lines = describeQuery(query.operand);
      return lines.length === 1
        ? [`Not: ${lines[0]![0]!.toLowerCase()}${lines[0]!.slice(1)}`]
        : ['Not:', ...indented(lines)];
    }
    case 'nothing':
      return ['Nothing: the query finds no page.'];
    default:
      return [sentence(describeLeaf(query))];
  }
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function list(title: string, parts: readonly Query[]): string[] {
  return [title, ...indented(parts.flatMap(describeQuery))];
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => INDENT + line);
}

function describePlain({ required, optional }: PlainQuery): string[] {
  const words = optional.map(describeLeaf).join(', ');
  if (required.length > 0) {
    const also = `Pages that also have this come first: ${words}.`;
    return [...(required.length === 1 ? describeQuery(required[0]!) : list('All of these:', required)), also];
  }
  return [`At least one of these, and pages with all of them come first: ${words}.`];
}

type Leaf = WordQuery | PhraseQuery | PatternQuery | NearQuery | FilterQuery;

function describeLeaf(query: Leaf): string {
  switch (query.kind) {
    case 'word':
      return `the word "${query.text}"${query.isExact ? ' in exactly this form' : ''}${PLACES[query.field]}`;
    case 'phrase':
      return `the phrase "${query.text}"${PLACES[query.field]}`;
    case 'pattern':
      return `a word like ${query.text}${PLACES[query.field]}`;
    case 'near': {
      const parts = query.operands.map(describeLeaf).join(' and ');
      const words = query.distance === 1 ? 'side by side' : `at most ${query.distance} words apart`;
      return `${parts}, ${words}, in any order`;
    }
    default:
      return describeFilter(query);
  }
}

function describeFilter(query: FilterQuery): string {
  switch (query.kind) {
    case 'site':
      return `the page is on ${query.host}${query.path === '' ? '' : `, below ${query.path}`}`;
    case 'filetype':
      return `the file type is ${query.value}`;
    case 'lang':
      return `the language is ${query.value}`;
    case 'date':
      return `the content was fetched ${describeRange(query)}`;
    case 'changed':
      return `the content changed ${describeRange(query)}`;
    case 'link':
      return `the page links to ${query.url}`;
    case 'depth':
      return describeDepth(query);
  }
}

/** The bounds are those of the canonical text, because they are as short as possible. */
function describeRange({ fromMs, toMs }: { readonly fromMs: number | null; readonly toMs: number | null }): string {
  const from = fromMs === null ? '' : `from ${formatDateRange({ fromMs, toMs: null }).slice(0, -2)}`;
  const to = toMs === null ? '' : `until the end of ${formatDateRange({ fromMs: null, toMs }).slice(2)}`;
  return `${[from, to].filter((part) => part !== '').join(' ')} (UTC)`;
}

function describeDepth({ from, to }: FilterQuery & { kind: 'depth' }): string {
  if (from === to) return `the page is ${from} links away from the seeds`;
  if (to === null) return `the page is at least ${from} links away from the seeds`;
  return `the page is ${from} to ${to} links away from the seeds`;
}
