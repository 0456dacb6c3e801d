/** Broken links, and the pages that contain them. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace, withQuery } from '../../routing/location.ts';
import { pagePath } from '../../routing/paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Foreign, UrlText } from '../../ui/foreign-text.tsx';
import { formatName, plural } from '../../ui/format.ts';
import { Empty, Shown } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Head } from '../../ui/toolbar.tsx';

type BrokenLink = Answer<'getBroken'>['links'][number];
const PAGE_SIZE = 30;

export function BrokenView() {
  const { copy } = useCopy();
  const { query } = usePlace();
  const after = Number(query.get('after')) || undefined;
  const broken = useAnswer('getBroken', { copy }, { limit: PAGE_SIZE, ...(after !== undefined && { after }) });
  const total = broken.data?.total;
  return (
    <>
      <Head
        title="Broken links"
        about={total ? `${plural(total, 'URL')} that pages link to and that cannot be read.` : undefined}
      />
      <Shown of={broken}>
        {(data) =>
          data.links.length === 0 ? (
            <Empty title="No broken links">
              <p>Every linked URL that was fetched has a page.</p>
            </Empty>
          ) : (
            <>
              <Table
                label="Broken links"
                columns={columnsFor(copy)}
                rows={data.links}
                keyOf={({ url }) => url}
                isOld={broken.isOld}
              />
              {(data.next !== null || after !== undefined) && (
                <nav class="pager" aria-label="Pages of the list">
                  <a href={withQuery({ after: '' })}>First links</a>
                  {data.next !== null && <a href={withQuery({ after: String(data.next) })}>Next →</a>}
                </nav>
              )}
            </>
          )
        }
      </Shown>
    </>
  );
}

function columnsFor(copy: string): readonly Column<BrokenLink>[] {
  return [
    {
      name: 'Broken URL, and links to it',
      isWide: true,
      cell: ({ url, from, pages }) => (
        <>
          <a href={pagePath(copy, url, { tab: 'why' })}>
            <UrlText url={url} />
          </a>
          <ul class="examples">
            {from.map((page) => (
              <li key={page.url}>
                {page.anchor !== null && page.anchor !== '' && (
                  <>
                    “<Foreign text={page.anchor} />” on{' '}
                  </>
                )}
                <a href={pagePath(copy, page.url, { tab: 'links' })}>
                  <UrlText url={page.url} />
                </a>
              </li>
            ))}
            {pages > from.length && (
              <li>
                <a href={pagePath(copy, url, { tab: 'links' })}>and {plural(pages - from.length, 'more page')}</a>
              </li>
            )}
          </ul>
        </>
      ),
    },
    { name: 'Reason', cell: ({ reason }) => <Badge tone="bad">{formatName(reason)}</Badge> },
    { name: 'Pages', isNumber: true, isExtra: true, cell: ({ pages }) => pages },
  ];
}
