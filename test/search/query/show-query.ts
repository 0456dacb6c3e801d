/** A tree in a short form for tests: `plain(+"a b" c)`, `and(a not(title:=b))`. */
import { formatQuery } from '../../../src/search/query/format-query.ts';
import { parseQuery } from '../../../src/search/query/parse-query.ts';
import type { Query, WordField } from '../../../src/search/query/query.ts';

export const NOW_MS = Date.UTC(2026, 10, 19, 21);

/** The tree of a text, behind it the codes of its notes. */
export function shown(text: string): string {
  const { query, notes } = parseQuery(text, NOW_MS);
  return [showQuery(query), ...notes.map(({ code }) => `!${code}`)].join(' ');
}

export function showQuery(query: Query): string {
  const all = (operands: readonly Query[]): string => operands.map(showQuery).join(' ');
  switch (query.kind) {
    case 'plain':
      return `plain(${[...query.required.map((each) => `+${showQuery(each)}`), ...query.optional.map(showQuery)].join(' ')})`;
    case 'and':
    case 'or':
    case 'xor':
      return `${query.kind}(${all(query.operands)})`;
    case 'near':
      return `near${query.distance}(${all(query.operands)})`;
    case 'not':
      return `not(${showQuery(query.operand)})`;
    case 'word':
      return `${place(query.field)}${query.isExact ? '=' : ''}${query.text}`;
    case 'phrase':
      return `${place(query.field)}"${query.text}"`;
    case 'pattern':
      return `${place(query.field)}~${query.text}`;
    case 'nothing':
      return 'nothing';
    default:
      // The other tests show that this text means the filter.
      return formatQuery(query);
  }
}

function place(field: WordField): string {
  return field === 'any' ? '' : `${field}:`;
}
