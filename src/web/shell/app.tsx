/** The whole interface: asks which copies there are, and shows the view that the address names. */
import { useEffect } from 'preact/hooks';
import { hasToken } from '../api/token.ts';
import { useAnswer } from '../api/use-answer.ts';
import { usePlace } from '../routing/location.ts';
import { readPath } from '../routing/paths.ts';
import { Skeleton, ErrorNote } from '../ui/states.tsx';
import { CopiesView } from '../views/copies/copies-view.tsx';
import { CopyFrame } from './copy-frame.tsx';
import { Frame } from './frame.tsx';
import { NotFound } from './not-found.tsx';
import { SessionContext } from './session.ts';
import { TokenScreen } from './token-screen.tsx';

export function App() {
  const { path } = usePlace();
  const copies = useAnswer('listCopies', {});
  const route = readPath(path);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new view.
  useEffect(() => {
    const heading = document.querySelector('h1');
    document.title = [heading?.textContent, 'Orbweaver'].filter(Boolean).join(' · ');
  }, [path, copies.data]);

  if (copies.error?.status === 401) return <TokenScreen wasRefused={hasToken()} onToken={copies.reload} />;
  if (copies.data === undefined) {
    return (
      <main class="starting">
        {copies.error ? <ErrorNote error={copies.error} onRetry={copies.reload} /> : <Skeleton rows={3} />}
      </main>
    );
  }
  return (
    <SessionContext.Provider value={{ list: copies.data, reload: copies.reload }}>
      {route.copy !== null ? (
        <CopyFrame key={route.copy} copy={route.copy} route={route} />
      ) : (
        <Frame copy={null}>{route.view === 'unknown' ? <NotFound /> : <CopiesView />}</Frame>
      )}
    </SessionContext.Provider>
  );
}
