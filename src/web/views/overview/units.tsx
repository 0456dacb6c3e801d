/** The five units of the run (W11), whether they are busy, and the errors by reason. */
import type { Run } from '../../../serve/contract/live.ts';
import { useCopy } from '../../api/session.ts';
import { viewPath } from '../../routing/paths.ts';
import { formatCount, formatName, formatShare } from '../../ui/format.ts';

/** A unit that worked less than this share of the last second is called idle. */
const BUSY = 0.02;
const NAMES = ['controller', 'crawler', 'link extractor', 'AJAX unit', 'link sorter'] as const;
/** A crawl without rendering has no AJAX unit. */
const UNUSED = { threads: 0, busy: 0, handled: 0 };
const MAX_REASONS = 8;

export function Units({ run }: { readonly run: Run }) {
  return (
    <section aria-labelledby="units">
      <h2 id="units">Units</h2>
      <table class="bars">
        <thead class="sr-only">
          <tr>
            <th scope="col">Unit</th>
            <th scope="col">Busy</th>
            <th scope="col">Worked on</th>
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => run.units.find((unit) => unit.name === name) ?? { ...UNUSED, name }).map(
            ({ name, threads, busy, handled }) => (
              <tr key={name}>
                <th scope="row">
                  {name}
                  {threads > 1 && <span class="muted"> ×{threads}</span>}
                </th>
                <td class="bar-cell">
                  <meter class="bar" min={0} max={1} value={busy} aria-label={`${name}: busy`} />
                </td>
                <td class="number bar-text">
                  {busy < BUSY ? <span class="muted">{threads === 0 ? 'not used' : 'idle'}</span> : formatShare(busy)}
                </td>
                <td class="number bar-text muted">{formatCount(handled)}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

export function Errors({ run }: { readonly run: Run }) {
  const { copy } = useCopy();
  const reasons = Object.entries(run.errors)
    .filter(([, count]) => count > 0)
    .sort(([, left], [, right]) => right - left);
  const most = Math.max(1, ...reasons.map(([, count]) => count));
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Errors of this run</h2>
      {reasons.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <table class="bars">
          <tbody>
            {reasons.slice(0, MAX_REASONS).map(([reason, count]) => (
              <tr key={reason}>
                <th scope="row">{formatName(reason)}</th>
                <td class="bar-cell">
                  <meter class="bar bar-bad" min={0} max={most} value={count} aria-label={`${reason}: number`} />
                </td>
                <td class="number bar-text">{formatCount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p>
        <a href={viewPath(copy, 'skipped')}>All reasons</a>
      </p>
    </section>
  );
}
