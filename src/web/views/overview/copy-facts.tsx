/** The copy as a whole: what it holds, and what can be done next. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { viewPath } from '../../routing/paths.ts';
import { formatBytes, formatCount, formatName, plural } from '../../ui/format.ts';
import { StateBar } from '../../ui/state-bar.tsx';
import { Figure } from './figures.tsx';

interface Props {
  readonly detail: Answer<'getCopy'>;
  readonly isIdle: boolean;
}

export function CopyFacts({ detail, isIdle }: Props) {
  const { copy } = useCopy();
  const { summary, states, archive, search, damaged } = detail;
  const shown = Object.entries(states).filter(([, count]) => count > 0);
  return (
    <section class={isIdle ? '' : 'section'} aria-labelledby="copy-facts">
      <h2 id="copy-facts" class={isIdle ? 'sr-only' : undefined}>
        The copy
      </h2>
      <dl class={isIdle ? 'figures' : 'figures figures-small'}>
        <Figure name="Pages" value={formatCount(summary.pages)} isMain={isIdle} />
        <Figure name="Hosts" value={formatCount(summary.hosts)} />
        <Figure name="Archive" value={formatBytes(archive.bytes)} note={plural(archive.files, 'file')} />
        <Figure name="Received" value={formatBytes(detail.receivedBytes)} />
        {search !== null && <Figure name="Searchable" value={formatCount(search.pages)} />}
        <Figure name="Changes" value={formatCount(summary.changes)} />
        {detail.retrying > 0 && <Figure name="Retried later" value={formatCount(detail.retrying)} />}
        {damaged > 0 && <Figure name="Damaged" value={formatCount(damaged)} isBad />}
      </dl>
      <div class="legend-bar">
        <StateBar states={states} />
        <ul class="legend">
          {shown.map(([state, count]) => (
            <li key={state}>
              <span class="numbers">{formatCount(count)}</span> {formatName(state)}
            </li>
          ))}
        </ul>
      </div>
      {isIdle && <NextSteps detail={detail} copy={copy} />}
    </section>
  );
}

function NextSteps({
  detail: { summary, search },
  copy,
}: {
  readonly detail: Answer<'getCopy'>;
  readonly copy: string;
}) {
  return (
    <ul class="next-steps">
      {summary.pages > 0 && search !== null && (
        <li>
          <a href={viewPath(copy, 'search')}>Search the pages</a>
        </li>
      )}
      {summary.changes > 0 && (
        <li>
          <a href={viewPath(copy, 'changes')}>See what changed</a>
        </li>
      )}
      {summary.failed > 0 && (
        <li>
          <a href={viewPath(copy, 'broken')}>See broken links</a>
        </li>
      )}
      <li>
        <a href={viewPath(copy, 'sites')}>Browse the sites</a>
      </li>
    </ul>
  );
}
