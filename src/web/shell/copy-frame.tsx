/** The frame of the views of one copy, with its live connection. */
import { useEffect, useMemo } from 'preact/hooks';
import { openLiveCopy } from '../api/live-copy.ts';
import { CopyContext, useCopy, useSession } from '../api/session.ts';
import { useStore } from '../api/store.ts';
import { type Route, type View, viewPath } from '../routing/paths.ts';
import { RunStateBadge } from '../ui/badge.tsx';
import { Foreign } from '../ui/foreign-text.tsx';
import { formatCount } from '../ui/format.ts';
import type { IconName } from '../ui/icon.tsx';
import { Frame, NavLink } from './frame.tsx';
import { goKeyOf } from './keys.tsx';
import { NotFound } from './not-found.tsx';
import { QuickSearch } from './quick-search.tsx';
import { ViewOf } from './view-of.tsx';

const LINKS: readonly (readonly [View, IconName, string])[] = [
  ['', 'overview', 'Overview'],
  ['changes', 'changes', 'Changes'],
  ['search', 'search', 'Search'],
  ['sites', 'sites', 'Sites'],
  ['skipped', 'skipped', 'Skipped'],
  ['broken', 'broken', 'Broken links'],
  ['rules', 'rules', 'Rules'],
];

export function CopyFrame({ copy, route }: { readonly copy: string; readonly route: Route }) {
  const live = useMemo(() => openLiveCopy(copy), [copy]);
  useEffect(() => () => live.close(), [live]);
  const scope = useMemo(() => ({ copy, live }), [copy, live]);
  const isSearch = route.view === 'search';
  return (
    <CopyContext.Provider value={scope}>
      <Frame copy={copy} navigation={<CopyNavigation route={route} />} top={<TopBar hasSearch={!isSearch} />}>
        {route.view === 'unknown' ? <NotFound /> : <ViewOf route={route} />}
      </Frame>
    </CopyContext.Provider>
  );
}

function TopBar({ hasSearch }: { readonly hasSearch: boolean }) {
  const { live } = useCopy();
  const isLost = useStore(live.store, ({ isLost }) => isLost);
  if (!hasSearch && !isLost) return null;
  return (
    <div class="top">
      {isLost && (
        <p class="lost" role="status">
          The connection to the server is lost. Trying again; figures may be old.
        </p>
      )}
      {hasSearch && <QuickSearch />}
    </div>
  );
}

function CopyNavigation({ route }: { readonly route: Route }) {
  const { copy, live } = useCopy();
  const { list } = useSession();
  const summary = list.copies.find(({ id }) => id === copy);
  const state = useStore(live.store, ({ state }) => state) ?? summary?.state;
  const changes = useStore(live.store, ({ changeCount }) => changeCount);
  const current = route.view === 'search/advanced' ? 'search' : route.view === 'page' ? '' : route.view;
  return (
    <nav class="nav" aria-label="Views of the copy">
      <a class="nav-copy" href={viewPath(copy, '')}>
        <Foreign text={summary?.title ?? copy} class="nav-copy-name" />
        {state && <RunStateBadge state={state} />}
      </a>
      <div class="nav-links">
        {LINKS.map(([view, icon, label]) => (
          <NavLink
            key={view}
            href={viewPath(copy, view)}
            icon={icon}
            label={label}
            isCurrent={current === view && route.view !== 'page'}
            count={view === 'changes' && changes > 0 ? `+${formatCount(changes)}` : undefined}
            goKey={goKeyOf(view)}
          />
        ))}
      </div>
      {list.copies.length > 1 && (
        <a class="nav-all" href="/">
          All {formatCount(list.copies.length)} copies
        </a>
      )}
    </nav>
  );
}
