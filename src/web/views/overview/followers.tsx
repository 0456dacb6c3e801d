/** The work after commits, such as the search index, and how far it is behind. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { Badge } from '../../ui/badge.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format.ts';
import { type Column, Table } from '../../ui/table.tsx';

type Follower = Answer<'getCopy'>['followers'][number];

const COLUMNS: readonly Column<Follower>[] = [
  { name: 'Follower', isWide: true, cell: ({ name }) => <Foreign text={name} /> },
  {
    name: 'State',
    cell: ({ isActive, behind }) =>
      isActive ? (
        <Badge tone="good">working</Badge>
      ) : behind === 0 ? (
        <Badge tone="quiet">up to date</Badge>
      ) : (
        <Badge tone="warn">waiting</Badge>
      ),
  },
  {
    name: 'Behind',
    isNumber: true,
    cell: ({ behind }) => (behind === null ? <span class="muted">unknown</span> : formatCount(behind)),
  },
];

export function Followers({ detail }: { readonly detail: Answer<'getCopy'> }) {
  if (detail.followers.length === 0) return null;
  return (
    <section class="section" aria-labelledby="followers">
      <h2 id="followers">Followers</h2>
      <Table label="Followers" columns={COLUMNS} rows={detail.followers} keyOf={({ name }) => name} />
    </section>
  );
}
