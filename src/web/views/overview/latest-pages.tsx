/** The latest pages. The list always has the same number of rows, so nothing below it moves. */
import { useState } from 'preact/hooks';
import type { LatestPage } from '../../../serve/contract/live.ts';
import { LATEST_ROWS } from '../../api/live-copy.ts';
import { useCopy } from '../../api/session.ts';
import { useStore } from '../../api/store.ts';
import { pagePath } from '../../routing/paths.ts';
import { UrlState } from '../../ui/badge.tsx';
import { UrlText } from '../../ui/foreign-text.tsx';
import { formatBytes } from '../../ui/format.ts';

interface Props {
  readonly first: readonly LatestPage[];
  readonly isRunning: boolean;
}

export function LatestPages({ first, isRunning }: Props) {
  const { copy, live } = useCopy();
  const streamed = useStore(live.store, ({ latest }) => latest);
  const [held, setHeld] = useState<readonly LatestPage[] | null>(null);
  const now = streamed.length > 0 ? streamed : first.slice(0, LATEST_ROWS);
  const pages = held ?? now;
  const empty = isRunning ? LATEST_ROWS - pages.length : 0;
  return (
    <section aria-labelledby="latest">
      <div class="section-head">
        <h2 id="latest">Latest pages</h2>
        {isRunning && (
          <button
            type="button"
            class="link-button"
            aria-pressed={held !== null}
            onClick={() => setHeld(held === null ? now : null)}
          >
            {held === null ? 'Hold' : 'Follow again'}
          </button>
        )}
      </div>
      {pages.length === 0 && !isRunning && <p class="muted">No pages in this run.</p>}
      <ol class="latest">
        {pages.map((page, at) => (
          <li key={at}>
            <a href={pagePath(copy, page.url)}>
              <UrlText url={page.url} />
            </a>
            <span class="latest-size">{page.bytes > 0 ? formatBytes(page.bytes) : ''}</span>
            <span class="latest-state">
              <UrlState state={page.state} reason={page.reason} />
            </span>
          </li>
        ))}
        {Array.from({ length: Math.max(0, empty) }, (_, at) => (
          <li key={`empty-${at}`} aria-hidden="true" />
        ))}
      </ol>
    </section>
  );
}
