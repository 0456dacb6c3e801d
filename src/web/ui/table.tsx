/** The one table. Numbers are aligned at their last digit; the header of a sortable column is a link to that order. */
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Takes what the other columns leave. */
  readonly isWide?: boolean;
  /** Hidden on a phone. */
  readonly isExtra?: boolean;
  readonly sort?: { readonly href: string; readonly direction: 'ascending' | 'descending' | null };
}

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, at: number) => string | number;
  readonly isOld?: boolean;
  /** The widths of the columns do not depend on the rows, which change often. */
  readonly isFixed?: boolean;
}

export function Table<Row>({ label, columns, rows, keyOf, isOld = false, isFixed = false }: TableProps<Row>) {
  return (
    <div class={`table-frame${isOld ? ' is-old' : ''}`} role="region" aria-label={label} tabIndex={0}>
      <table class={`table${isFixed ? ' table-fixed' : ''}`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)} aria-sort={column.sort?.direction ?? undefined}>
                <Heading column={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={keyOf(row, at)}>
              {columns.map((column) => (
                <td key={column.name} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading<Row>({ column: { name, sort } }: { readonly column: Column<Row> }) {
  if (sort === undefined) return <>{name}</>;
  return (
    <a href={sort.href} class="sort">
      {name}
      <span aria-hidden="true">{sort.direction === null ? '' : sort.direction === 'ascending' ? ' ↑' : ' ↓'}</span>
    </a>
  );
}

function classOf<Row>({ isNumber, isWide, isExtra }: Column<Row>): string {
  return [isNumber && 'number', isWide && 'wide', isExtra && 'extra'].filter(Boolean).join(' ');
}
