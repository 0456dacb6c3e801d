/** The hosts of a copy. */
import type { Answer, Query } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { navigate, usePlace, withQuery } from '../../routing/location.ts';
import { hostPath } from '../../routing/paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { FilterField } from '../../ui/fields.tsx';
import { UrlText } from '../../ui/foreign-text.tsx';
import { formatCount, formatDuration, formatName, plural } from '../../ui/format.ts';
import { Empty, Shown } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Ago } from '../../ui/time.tsx';
import { Head, Pager, Toolbar } from '../../ui/toolbar.tsx';

type Host = Answer<'listHosts'>['hosts'][number];
type Sort = NonNullable<Query<'listHosts'>['sort']>;
const PAGE_SIZE = 50;

export function SitesView() {
  const { copy } = useCopy();
  const { query } = usePlace();
  const search = query.get('search') ?? '';
  const sort = sortOf(query.get('sort'));
  const offset = Number(query.get('offset')) || 0;
  const hosts = useAnswer('listHosts', { copy }, { sort, offset, limit: PAGE_SIZE, ...(search && { search }) });
  return (
    <>
      <Head title="Sites" about={hosts.data && `${plural(hosts.data.total, 'host')}${search && ' with this text'}`} />
      <Toolbar label="Filter the hosts">
        <FilterField
          label="Find a host"
          value={search}
          onChange={(text) => navigate(withQuery({ search: text, offset: '' }), { replace: true })}
        />
      </Toolbar>
      <Shown of={hosts}>
        {(data) =>
          data.hosts.length === 0 ? (
            <Empty title={search === '' ? 'No host is known yet' : `No host contains “${search}”`}>
              {search === '' ? (
                <p>Hosts appear here when a crawl starts.</p>
              ) : (
                <a href={withQuery({ search: '' })}>All hosts</a>
              )}
            </Empty>
          ) : (
            <>
              <Table
                label="Hosts"
                columns={columnsFor(copy, sort)}
                rows={data.hosts}
                keyOf={({ host }) => host}
                isOld={hosts.isOld}
              />
              <Pager
                from={offset}
                shown={data.hosts.length}
                total={data.total}
                size={PAGE_SIZE}
                what="hosts"
                hrefOf={(at) => withQuery({ offset: at === 0 ? '' : String(at) })}
              />
            </>
          )
        }
      </Shown>
    </>
  );
}

function sortOf(text: string | null): Sort {
  return text === 'waiting' || text === 'failed' || text === 'name' ? text : 'pages';
}

function columnsFor(copy: string, sort: Sort): readonly Column<Host>[] {
  const by = (name: Sort) => ({
    href: withQuery({ sort: name === 'pages' ? '' : name, offset: '' }),
    direction: sort !== name ? null : name === 'name' ? ('ascending' as const) : ('descending' as const),
  });
  return [
    {
      name: 'Host',
      isWide: true,
      sort: by('name'),
      cell: ({ host, trouble, blockedUntil }) => (
        <>
          <a class="strong" href={hostPath(copy, host)}>
            <UrlText url={host} />
          </a>
          {trouble !== null && <span class="row-note bad"> {formatName(trouble)}</span>}
          {blockedUntil !== null && (
            <span class="row-note">
              {' '}
              not asked for now, again <Ago at={blockedUntil} />
            </span>
          )}
        </>
      ),
    },
    { name: 'Pages', isNumber: true, sort: by('pages'), cell: ({ pages }) => formatCount(pages) },
    { name: 'Waiting', isNumber: true, sort: by('waiting'), cell: ({ waiting }) => zeroQuiet(waiting) },
    {
      name: 'Failed',
      isNumber: true,
      sort: by('failed'),
      cell: ({ failed }) => <span class={failed > 0 ? 'bad' : undefined}>{zeroQuiet(failed)}</span>,
    },
    {
      name: 'Delay',
      isNumber: true,
      isExtra: true,
      cell: ({ delayMs }) => (delayMs === null ? <span class="muted">–</span> : shortDelay(delayMs)),
    },
    { name: 'robots.txt', isExtra: true, cell: ({ robots }) => <RobotsBadge robots={robots} /> },
  ];
}

function zeroQuiet(count: number) {
  return count === 0 ? <span class="muted">0</span> : formatCount(count);
}

export function shortDelay(ms: number): string {
  if (ms === 0) return 'none';
  return ms < 10_000 ? `${(ms / 1_000).toFixed(ms < 1_000 ? 2 : 1)} s` : formatDuration(ms);
}

export function RobotsBadge({ robots }: Pick<Host, 'robots'>) {
  if (robots === 'unreachable') return <Badge tone="bad">unreachable</Badge>;
  if (robots === 'rules') return <>rules</>;
  return <span class="muted">{robots === 'none' ? 'none' : 'not asked'}</span>;
}
