/** Shows the view that the address names. Views other than the overview are loaded when they are first opened. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { View, ViewProps } from '../routing/paths.ts';
import { Skeleton } from '../ui/states.tsx';
import { OverviewView } from '../views/overview/overview-view.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

type ViewComponent = ComponentType<ViewProps>;

const LOADERS: Readonly<Record<Exclude<View, ''> | 'host', () => Promise<ViewComponent>>> = {
  changes: async () => (await import('../views/changes/changes-view.tsx')).ChangesView,
  search: async () => (await import('../views/search/search-view.tsx')).SearchView,
  'search/advanced': async () => (await import('../views/search/advanced-view.tsx')).AdvancedView,
  sites: async () => (await import('../views/sites/sites-view.tsx')).SitesView,
  host: async () => (await import('../views/sites/host-view.tsx')).HostView,
  page: async () => (await import('../views/page/page-view.tsx')).PageView,
  skipped: async () => (await import('../views/problems/skipped-view.tsx')).SkippedView,
  broken: async () => (await import('../views/problems/broken-view.tsx')).BrokenView,
  rules: async () => (await import('../views/rules/rules-view.tsx')).RulesView,
};
const loaded = new Map<string, ViewComponent>();

export function ViewOf({ route }: ViewProps) {
  const name = route.host !== null ? 'host' : (route.view as View);
  if (name === '') return <OverviewView />;
  return (
    <ErrorBoundary key={name}>
      <LazyView name={name} route={route} />
    </ErrorBoundary>
  );
}

function LazyView({ name, route }: ViewProps & { readonly name: keyof typeof LOADERS }) {
  const [, setRound] = useState(0);
  const [hasFailed, setFailed] = useState(false);
  const View = loaded.get(name);
  useEffect(() => {
    if (View !== undefined) return;
    LOADERS[name]().then(
      (component) => {
        loaded.set(name, component);
        setRound((round) => round + 1);
      },
      () => setFailed(true),
    );
  }, [name, View]);
  if (hasFailed) {
    return (
      <p class="note note-bad" role="alert">
        This view could not be loaded. The server may have been stopped or updated: load the page again.
      </p>
    );
  }
  return View === undefined ? <Skeleton /> : <View route={route} />;
}
