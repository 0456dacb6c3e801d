/** All copies of the server. */
import { useEffect } from 'preact/hooks';
import type { CopySummary } from '../../../serve/contract/copies.ts';
import { readOnlyReason, useSession } from '../../api/session.ts';
import { viewPath } from '../../routing/paths.ts';
import { Badge, RunStateBadge } from '../../ui/badge.tsx';
import { Command } from '../../ui/button.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { StateBar } from '../../ui/state-bar.tsx';
import { Empty } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { Head } from '../../ui/toolbar.tsx';
import { NewCopy } from './new-copy.tsx';

const REFRESH_MS = 5_000;

export function CopiesView() {
  const session = useSession();
  const { list, reload } = session;
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const running = list.copies.filter(({ state }) => state !== 'idle').length;
  const about =
    list.copies.length === 0
      ? undefined
      : `${formatCount(list.copies.length)} on this server, ${running === 0 ? 'none' : formatCount(running)} running`;
  return (
    <>
      <Head title="Copies" about={about} />
      {list.copies.length === 0 ? (
        <Empty title="There is no copy yet">
          <p>A copy of a site is made on the command line, or here if the server was started with a token.</p>
          <Command text="orbweaver crawl https://www.example.org/" />
        </Empty>
      ) : (
        <Table label="Copies" columns={COLUMNS} rows={list.copies} keyOf={({ id }) => id} />
      )}
      {list.canCreate && readOnlyReason(session) === null && <NewCopy />}
    </>
  );
}

const COLUMNS: readonly Column<CopySummary>[] = [
  {
    name: 'Copy',
    isWide: true,
    cell: ({ id, title, problem, seeds }) => (
      <>
        <a class="strong" href={viewPath(id, '')}>
          <Foreign text={title} />
        </a>
        {problem !== null ? (
          <p class="row-note bad">
            <Foreign text={problem} />
          </p>
        ) : (
          seeds[0] !== undefined &&
          !seeds[0].includes(`//${title}`) && (
            <p class="row-note">
              <Foreign text={seeds[0]} />
            </p>
          )
        )}
      </>
    ),
  },
  {
    name: 'State',
    cell: ({ state, problem }) =>
      problem === null ? <RunStateBadge state={state} /> : <Badge tone="bad">unreadable</Badge>,
  },
  { name: 'Pages', isNumber: true, cell: ({ pages }) => formatCount(pages) },
  {
    name: 'URLs',
    isExtra: true,
    cell: ({ pages, waiting, failed, skipped }) => <StateBar states={{ fetched: pages, waiting, skipped, failed }} />,
  },
  { name: 'Hosts', isNumber: true, isExtra: true, cell: ({ hosts }) => formatCount(hosts) },
  {
    name: 'Changes',
    isNumber: true,
    isExtra: true,
    cell: ({ id, changes }) => <a href={viewPath(id, 'changes')}>{formatCount(changes)}</a>,
  },
  { name: 'Size', isNumber: true, isExtra: true, cell: ({ bytes }) => formatBytes(bytes) },
  { name: 'Refreshed', cell: ({ refreshedAt }) => <Ago at={refreshedAt} /> },
];
