/** The stored versions of a page, newest first. Each is a link to the page as it was then. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { usePlace, withQuery } from '../../routing/location.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatCount, formatDay, formatMinute, plural } from '../../ui/format.ts';
import { Shown } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';

type Visit = Answer<'getHistory'>['visits'][number];

export function Timeline({ url, tab }: { readonly url: string; readonly tab: string }) {
  const { copy } = useCopy();
  const history = useAnswer('getHistory', { copy }, { url });
  return (
    <aside class="timeline" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <Shown of={history} rows={4}>
        {(data) => (
          <>
            <ol>
              {data.visits.map((visit, at) => (
                <VisitItem key={visit.at + visit.found} visit={visit} isNewest={at === 0} tab={tab} />
              ))}
            </ol>
            {data.total > data.visits.length && (
              <p class="hint">
                The newest {formatCount(data.visits.length)} of {formatCount(data.total)} versions.
              </p>
            )}
            {data.looks !== null && <Looks looks={data.looks} />}
          </>
        )}
      </Shown>
    </aside>
  );
}

function VisitItem({
  visit,
  isNewest,
  tab,
}: {
  readonly visit: Visit;
  readonly isNewest: boolean;
  readonly tab: string;
}) {
  const { query } = usePlace();
  const isDiff = tab === 'diff';
  const shown = query.get(isDiff ? 'to' : 'at');
  const isCurrent = shown === null ? isNewest : shown === visit.at;
  const value = isNewest ? '' : visit.at;
  const href = withQuery(isDiff ? { to: value, from: '' } : { at: value });
  const date = new Date(visit.at);
  return (
    <li class={`stored${visit.level === 'content' || visit.found === 'new' ? ' is-content' : ''}`}>
      <a href={href} aria-current={isCurrent ? 'true' : undefined}>
        <span class="stored-time numbers">
          {formatDay(date)} <span class="muted">{formatMinute(date)}</span>
        </span>
        <span class="stored-what">
          {visit.found === 'changed' ? (visit.level ?? 'changed') : visit.found}
          {visit.wordsAdded !== null && (
            <>
              {' '}
              <span class="good numbers">+{formatCount(visit.wordsAdded)}</span>{' '}
              <span class="bad numbers">−{formatCount(visit.wordsRemoved ?? 0)}</span>
            </>
          )}
          {visit.status !== 200 && visit.status > 0 && ` status ${visit.status}`}
        </span>
      </a>
      {visit.isDamaged && <Badge tone="bad">damaged</Badge>}
    </li>
  );
}

function Looks({ looks }: { readonly looks: NonNullable<Answer<'getHistory'>['looks']> }) {
  return (
    <p class="hint">
      {plural(looks.count, 'visit')} since the first one <Ago at={looks.since} />, the last one{' '}
      <Ago at={looks.lastAt} />.{looks.changesADay !== null && ` About ${looks.changesADay.toFixed(2)} changes a day.`}
    </p>
  );
}
