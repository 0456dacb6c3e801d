/** Links to a page and from it, with their texts. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { pagePath } from '../../routing/paths.ts';
import { UrlState } from '../../ui/badge.tsx';
import { Foreign, UrlText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format.ts';
import { Shown } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

type Link = Answer<'getLinks'>['to'][number];
const MOST = 200;

export function LinksTab({ url }: { readonly url: string }) {
  const { copy } = useCopy();
  const links = useAnswer('getLinks', { copy }, { url, limit: MOST });
  return (
    <Shown of={links}>
      {(data) => (
        <>
          <Part id="links-to" title="Links to this page" total={data.totalTo} links={data.to} copy={copy} />
          <Part id="links-from" title="Links from this page" total={data.totalFrom} links={data.from} copy={copy} />
        </>
      )}
    </Shown>
  );
}

interface PartProps {
  readonly id: string;
  readonly title: string;
  readonly total: number;
  readonly links: readonly Link[];
  readonly copy: string;
}

function Part({ id, title, total, links, copy }: PartProps) {
  return (
    <section class="links-part" aria-labelledby={id}>
      <h2 id={id}>
        {title} <span class="muted numbers">{formatCount(total)}</span>
      </h2>
      {links.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <Table label={title} columns={columnsFor(copy)} rows={links} keyOf={(link, at) => `${at} ${link.url}`} />
      )}
      {total > links.length && links.length > 0 && <p class="hint">The first {formatCount(links.length)} are shown.</p>}
    </section>
  );
}

function columnsFor(copy: string): readonly Column<Link>[] {
  return [
    {
      name: 'Page',
      isWide: true,
      cell: ({ url, title }) => (
        <>
          <a href={pagePath(copy, url)}>{title === '' ? <UrlText url={url} /> : <Foreign text={title} />}</a>
          {title !== '' && (
            <p class="row-note">
              <UrlText url={url} />
            </p>
          )}
        </>
      ),
    },
    {
      name: 'Text of the link',
      cell: ({ anchor }) =>
        anchor === null || anchor === '' ? <span class="muted">none</span> : <Foreign text={anchor} />,
    },
    { name: 'State', isExtra: true, cell: ({ state }) => state !== null && <UrlState state={state} /> },
  ];
}
