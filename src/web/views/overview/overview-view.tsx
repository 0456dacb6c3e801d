/** What happens in a copy now, how it went so far, and what can be done next. */
import { useEffect, useRef } from 'preact/hooks';
import type { Answer } from '../../../serve/contract/routes.ts';
import { useCopy } from '../../api/session.ts';
import { useStore } from '../../api/store.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { RunStateBadge } from '../../ui/badge.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Shown } from '../../ui/states.tsx';
import { Ago } from '../../ui/time.tsx';
import { Head } from '../../ui/toolbar.tsx';
import { CopyFacts } from './copy-facts.tsx';
import { Figures } from './figures.tsx';
import { Followers } from './followers.tsx';
import { LatestPages } from './latest-pages.tsx';
import { RunActions } from './run-actions.tsx';
import { RunCharts } from './run-charts.tsx';
import { Errors, Units } from './units.tsx';
import { Workers } from './workers.tsx';

export function OverviewView() {
  const scope = useCopy();
  const { copy } = scope;
  const detail = useAnswer('getCopy', { copy });
  const live = useAnswer('getLive', { copy });
  const { reload: reloadDetail } = detail;
  const { reload: reloadLive } = live;
  const runId = useStore(scope.live.store, ({ run }) => run?.id);
  const state = useStore(scope.live.store, ({ state }) => state);
  const isAsked = useRef(false);
  // A run that begins has another chart, and a run that ends has changed the copy.
  useEffect(() => {
    if (isAsked.current) {
      reloadLive();
      reloadDetail();
    }
    isAsked.current = state !== null;
  }, [runId, state, reloadLive, reloadDetail]);
  return (
    <Shown of={detail}>
      {(data) => <Shown of={live}>{(now) => <Overview detail={data} first={now} onRun={detail.reload} />}</Shown>}
    </Shown>
  );
}

interface OverviewProps {
  readonly detail: Answer<'getCopy'>;
  readonly first: Answer<'getLive'>;
  readonly onRun: () => void;
}

function Overview({ detail, first, onRun }: OverviewProps) {
  const { live } = useCopy();
  const run = useStore(live.store, ({ run }) => run) ?? first.run;
  const state = useStore(live.store, ({ state }) => state) ?? run?.state ?? detail.summary.state;
  const isRunning = state !== 'idle';
  const { summary } = detail;
  return (
    <>
      <Head
        title={<Foreign text={summary.title} />}
        about={
          <>
            <RunStateBadge state={state} /> <RunSentence run={run} refreshedAt={summary.refreshedAt} />
          </>
        }
        actions={<RunActions detail={detail} state={state} onRun={onRun} />}
      />
      <Warnings first={first} />
      {summary.problem !== null && <p class="note note-bad">{summary.problem}</p>}
      {!isRunning && <CopyFacts detail={detail} isIdle />}
      {run !== null && !isRunning && <h2 class="last-run">The last {run.kind}</h2>}
      {run !== null && <Figures run={run} />}
      {first.chart !== null && run !== null && first.run?.id === run.id && (
        <RunCharts key={run.id} chart={first.chart} run={run} />
      )}
      {run !== null && (
        <div class="columns">
          <LatestPages first={first.latest} isRunning={isRunning} />
          <div class="stack">
            <Units run={run} />
            <Errors run={run} />
          </div>
        </div>
      )}
      {first.workers.length > 0 && <Workers workers={first.workers} />}
      <Followers detail={detail} />
      {isRunning && <CopyFacts detail={detail} isIdle={false} />}
    </>
  );
}

interface SentenceProps {
  readonly run: Answer<'getLive'>['run'];
  readonly refreshedAt: string | null;
}

function RunSentence({ run, refreshedAt }: SentenceProps) {
  if (run === null) {
    return refreshedAt === null ? (
      <>Nothing was crawled yet.</>
    ) : (
      <>
        Last visited <Ago at={refreshedAt} />
      </>
    );
  }
  const what = run.kind === 'crawl' ? 'Crawl' : 'Refresh';
  if (run.ending !== null) {
    return (
      <>
        {what} ended <Ago at={run.updatedAt} /> after {formatDuration(run.elapsedMs)}: {run.ending}
      </>
    );
  }
  return (
    <span class="numbers">
      {what} for {formatDuration(run.elapsedMs)}
      {run.leftMs !== null && `, about ${formatDuration(run.leftMs)} left`}
    </span>
  );
}

function Warnings({ first }: { readonly first: Answer<'getLive'> }) {
  const { live } = useCopy();
  const warnings = useStore(live.store, ({ run }) => run?.warnings) ?? first.run?.warnings ?? [];
  const isStale = useStore(live.store, ({ state, isStale }) => (state === null ? first.isStale : isStale));
  if (warnings.length === 0 && !isStale) return null;
  return (
    <div class="note note-warn">
      {isStale && <p>The run has not reported for some seconds. Its process may have been killed.</p>}
      {warnings.slice(-3).map(({ at, message }) => (
        <p key={at + message}>
          <Foreign text={message} /> <Ago at={at} />
        </p>
      ))}
      {warnings.length > 3 && <p class="muted">and {warnings.length - 3} earlier warnings</p>}
    </div>
  );
}
