/** The workers of a cluster. */
import type { Answer } from '../../../serve/contract/routes.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Foreign } from '../../ui/foreign-text.tsx';
import { formatBytes, formatCount, formatRate } from '../../ui/format.ts';
import { type Column, Table } from '../../ui/table.tsx';

type Worker = Answer<'getLive'>['workers'][number];

const TONES: Readonly<Record<Worker['state'], Tone>> = {
  starting: 'info',
  working: 'good',
  idle: 'quiet',
  draining: 'warn',
  dead: 'bad',
};

const COLUMNS: readonly Column<Worker>[] = [
  {
    name: 'Worker',
    isWide: true,
    cell: ({ name, machine, lastError }) => (
      <>
        <Foreign text={name} class="strong" /> <span class="muted">{machine}</span>
        {lastError !== null && (
          <p class="row-note bad">
            <Foreign text={lastError} />
          </p>
        )}
      </>
    ),
  },
  {
    name: 'State',
    cell: ({ state, silentSeconds }) => (
      <>
        <Badge tone={TONES[state]}>{state}</Badge>
        {state === 'dead' && <span class="muted"> silent for {Math.round(silentSeconds)} s</span>}
      </>
    ),
  },
  { name: 'Pages', isNumber: true, cell: ({ pages }) => formatCount(pages) },
  { name: 'Pages/s', isNumber: true, cell: ({ pagesPerSecond }) => formatRate(pagesPerSecond) },
  { name: 'Hosts', isNumber: true, isExtra: true, cell: ({ hosts }) => formatCount(hosts) },
  { name: 'Errors', isNumber: true, isExtra: true, cell: ({ errors }) => formatCount(errors) },
  { name: 'Memory', isNumber: true, isExtra: true, cell: ({ memoryMb }) => formatBytes(memoryMb * 1e6) },
];

export function Workers({ workers }: { readonly workers: readonly Worker[] }) {
  return (
    <section class="section" aria-labelledby="workers">
      <h2 id="workers">Workers</h2>
      <Table label="Workers" columns={COLUMNS} rows={workers} keyOf={({ name }) => name} />
    </section>
  );
}
