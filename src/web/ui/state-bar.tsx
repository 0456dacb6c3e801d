/** How many URLs have which state, as one bar. The label says the same in words. */
import { toneOfUrlState } from './badge.tsx';
import { formatCount } from './format.ts';

const ORDER = ['fetched', 'duplicate', 'redirect', 'waiting', 'skipped', 'missing', 'gone', 'failed'];

export function StateBar({ states }: { readonly states: Readonly<Record<string, number>> }) {
  const all = Object.entries(states)
    .filter(([, count]) => count > 0)
    .sort(([left], [right]) => ORDER.indexOf(left) - ORDER.indexOf(right));
  const total = all.reduce((sum, [, count]) => sum + count, 0);
  const label = all.map(([state, count]) => `${formatCount(count)} ${state}`).join(', ') || 'no URLs';
  return (
    <span class="state-bar" role="img" aria-label={label} title={label}>
      {all.map(([state, count]) => (
        <span
          key={state}
          class={`state-part tone-${state === 'duplicate' ? 'soft' : toneOfUrlState(state)}`}
          style={{ flexGrow: String(count / total) }}
        />
      ))}
    </span>
  );
}
