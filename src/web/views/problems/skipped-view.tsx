/** URLs that were not fetched, by reason, and the option that would change it. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace, withQuery } from '../../routing/location.ts';
import { pagePath, viewPath } from '../../routing/paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Foreign, UrlText } from '../../ui/foreign-text.tsx';
import { formatCount, formatName } from '../../ui/format.ts';
import { Empty, Shown } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Head } from '../../ui/toolbar.tsx';

type Group = Answer<'getSkipped'>['groups'][number];
type UrlRow = Answer<'listUrls'>['urls'][number];
const PAGE_SIZE = 100;

export function SkippedView() {
  const { query } = usePlace();
  const reason = query.get('reason');
  return reason === null ? <Groups /> : <UrlsWithReason reason={reason} />;
}

function Groups() {
  const { copy } = useCopy();
  const skipped = useAnswer('getSkipped', { copy });
  return (
    <>
      <Head title="Skipped" about="URLs that the copy knows and has no page for, by reason." />
      <Shown of={skipped}>
        {({ groups, isComplete }) =>
          groups.length === 0 ? (
            <Empty title="Nothing was skipped">
              <p>Every URL that the crawl found was fetched or still waits.</p>
            </Empty>
          ) : (
            <>
              <ul class="groups">
                {groups.map((group) => (
                  <GroupItem key={group.reason} group={group} />
                ))}
              </ul>
              {!isComplete && <p class="hint">The copy is still being counted.</p>}
            </>
          )
        }
      </Shown>
    </>
  );
}

function GroupItem({ group }: { readonly group: Group }) {
  const { copy } = useCopy();
  return (
    <li class="group">
      <p class="group-count numbers">{formatCount(group.urls)}</p>
      <div class="group-body">
        <h2>
          <a href={withQuery({ reason: group.reason })}>{formatName(group.reason)}</a>{' '}
          {group.isRetried && <Badge tone="info">tried again</Badge>}
        </h2>
        <p>{group.meaning}</p>
        {group.option !== null && (
          <p class="muted">
            Changed by <code>{group.option}</code>, see <a href={viewPath(copy, 'rules')}>Rules</a>.
          </p>
        )}
        <ul class="examples">
          {group.examples.map((url) => (
            <li key={url}>
              <a href={pagePath(copy, url, { tab: 'why' })}>
                <UrlText url={url} />
              </a>
            </li>
          ))}
        </ul>
      </div>
    </li>
  );
}

function UrlsWithReason({ reason }: { readonly reason: string }) {
  const { copy } = useCopy();
  const { query } = usePlace();
  const after = Number(query.get('after')) || undefined;
  const urls = useAnswer('listUrls', { copy }, { reason, limit: PAGE_SIZE, ...(after !== undefined && { after }) });
  const columns: readonly Column<UrlRow>[] = [
    {
      name: 'URL',
      isWide: true,
      cell: ({ url }) => (
        <a href={pagePath(copy, url, { tab: 'why' })}>
          <UrlText url={url} />
        </a>
      ),
    },
    { name: 'State', isExtra: true, cell: ({ state }) => <Badge tone="quiet">{state}</Badge> },
    {
      name: 'Found on',
      isExtra: true,
      cell: ({ via }) =>
        via !== null && (
          <a href={pagePath(copy, via)}>
            <UrlText url={via} />
          </a>
        ),
    },
  ];
  return (
    <>
      <p class="crumbs">
        <a href={viewPath(copy, 'skipped')}>Skipped</a>
      </p>
      <Head title={<Foreign text={formatName(reason)} />} />
      <Shown of={urls}>
        {(data) =>
          data.urls.length === 0 ? (
            <Empty title="No URL has this reason" />
          ) : (
            <>
              <Table label="URLs" columns={columns} rows={data.urls} keyOf={({ id }) => id} isOld={urls.isOld} />
              {data.next !== null && (
                <nav class="pager" aria-label="Pages of the list">
                  <a href={withQuery({ after: '' })}>First URLs</a>
                  <a href={withQuery({ after: String(data.next) })}>Next →</a>
                </nav>
              )}
            </>
          )
        }
      </Shown>
    </>
  );
}
