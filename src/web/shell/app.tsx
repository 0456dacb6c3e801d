/** The whole interface: asks which copies there are, and shows the view that the address names. */
import { SessionContext, useSession } from '../api/session.ts';
import { hasToken } from '../api/token.ts';
import { useAnswer } from '../api/use-answer.ts';
import { usePlace } from '../routing/location.ts';
import { readPath, viewPath } from '../routing/paths.ts';
import { Foreign } from '../ui/foreign-text.tsx';
import { ErrorNote, Skeleton } from '../ui/states.tsx';
import { CopiesView } from '../views/copies/copies-view.tsx';
import { CopyFrame } from './copy-frame.tsx';
import { Frame } from './frame.tsx';
import { NotFound } from './not-found.tsx';
import { TokenScreen } from './token-screen.tsx';

export function App() {
  const { path } = usePlace();
  const copies = useAnswer('listCopies', {});
  const route = readPath(path);

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
      {route.copy !== null && copies.data.copies.some(({ id }) => id === route.copy) ? (
        <CopyFrame key={route.copy} copy={route.copy} route={route} />
      ) : (
        <Frame copy={null} navigation={<AllCopies />}>
          {route.view === 'unknown' || route.copy !== null ? <NotFound /> : <CopiesView />}
        </Frame>
      )}
    </SessionContext.Provider>
  );
}

const MAX_LINKS = 15;

/** Only for quick jumps; the table beside it has everything. */
function AllCopies() {
  const { list } = useSession();
  return (
    <nav class="nav" aria-label="Copies">
      <div class="nav-links">
        {list.copies.slice(0, MAX_LINKS).map(({ id, title, state }) => (
          <a key={id} class="nav-link" href={viewPath(id, '')}>
            <span class={`nav-dot${state === 'idle' ? '' : ' is-running'}`} />
            <Foreign text={title} />
          </a>
        ))}
      </div>
    </nav>
  );
}
