/** The figures of a run. Each keeps its place and its width while it changes. */
import type { ComponentChildren } from 'preact';
import type { Run } from '../../../serve/contract/live.ts';
import { formatBytes, formatCount, formatRate } from '../../ui/format.ts';

export function Figures({ run }: { readonly run: Run }) {
  const share = run.of === null || run.of === 0 ? null : Math.min(1, run.pages / run.of);
  return (
    <dl class="figures">
      <Figure
        name={run.kind === 'crawl' ? 'Pages' : 'Visited pages'}
        value={formatCount(run.pages)}
        note={run.of === null ? undefined : `of ${formatCount(run.of)}`}
        isMain
      >
        {share !== null && <progress class="progress" value={share} aria-label="Progress of the run" />}
      </Figure>
      <Figure name="Pages per second" value={formatRate(run.pagesPerSecond)} isMain />
      {run.kind === 'refresh' && <Figure name="Changed" value={formatCount(run.changed)} />}
      <Figure name="Waiting" value={formatCount(run.waiting)} />
      <Figure name="Hosts" value={formatCount(run.hosts)} />
      <Figure name="Failed" value={formatCount(run.failed)} isBad={run.failed > 0} />
      <Figure name="Received" value={formatBytes(run.bytes)} note={`${formatBytes(run.bytesPerSecond)}/s`} />
      <Figure name="Memory" value={formatBytes(run.memoryMb * 1e6)} />
      <Figure name="CPU" value={run.cpu.toFixed(1)} note="cores" />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
  readonly isMain?: boolean;
  readonly isBad?: boolean;
  readonly children?: ComponentChildren;
}

export function Figure({ name, value, note, isMain = false, isBad = false, children }: FigureProps) {
  return (
    <div class={`figure${isMain ? ' figure-main' : ''}`}>
      <dt>{name}</dt>
      <dd>
        <span class={`figure-value${isBad ? ' bad' : ''}`}>{value}</span>
        {note !== undefined && <span class="figure-note"> {note}</span>}
        {children}
      </dd>
    </div>
  );
}
