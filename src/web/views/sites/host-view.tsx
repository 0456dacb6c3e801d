/** One host: its folders, and everything that was learned about it. */

import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace } from '../../routing/location.ts';
import { type ViewProps, viewPath } from '../../routing/paths.ts';
import { OutsideLink, UrlText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format.ts';
import { Shown } from '../../ui/states.tsx';
import { Head } from '../../ui/toolbar.tsx';
import { FolderTree } from './folder-tree.tsx';
import { HostFacts } from './host-facts.tsx';

export function HostView({ route }: ViewProps) {
  const { copy } = useCopy();
  const { query } = usePlace();
  const host = route.host!;
  const detail = useAnswer('getHost', { copy, host });
  return (
    <>
      <p class="crumbs">
        <a href={viewPath(copy, 'sites')}>Sites</a>
      </p>
      <Head
        title={<UrlText url={host} />}
        about={
          detail.data && (
            <>
              <span class="numbers">
                {formatCount(detail.data.host.pages)} pages, {formatCount(detail.data.host.waiting)} waiting,{' '}
                {formatCount(detail.data.host.failed)} failed
              </span>{' '}
              · <a href={viewPath(copy, 'changes', { host })}>Changes</a> ·{' '}
              <a href={viewPath(copy, 'search', { q: `site:${host.replace(/^https?:\/\//, '')} ` })}>Search</a> ·{' '}
              <OutsideLink url={`${host}/`} label="Visit" />
            </>
          )
        }
      />
      <div class="columns columns-host">
        <section aria-labelledby="folders">
          <h2 id="folders">Folders</h2>
          <FolderTree key={host} host={host} open={query.get('folder') ?? '/'} />
        </section>
        <Shown of={detail}>{(data) => <HostFacts detail={data} />}</Shown>
      </div>
    </>
  );
}
