/**
 * The address of the page as state. Links are plain links; a click on one that stays in the interface changes the
 * address without loading the page again, and back and forward work as in any site.
 */
import { createStore, useStore } from '../api/store.ts';

export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const place = createStore<Place>(read());

function read(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export function usePlace(): Place {
  return useStore(place, (now) => now);
}

let hasMoved = false;

/** Whether the present view was opened from another one, so that the focus has to move to it. */
export function wasOpenedHere(): boolean {
  return hasMoved;
}

export function navigate(address: string, { replace = false } = {}): void {
  const target = new URL(address, location.href);
  const isSamePath = target.pathname === location.pathname;
  hasMoved = true;
  if (replace) history.replaceState(null, '', target);
  else if (target.href !== location.href) history.pushState(null, '', target);
  place.set(read());
  if (!isSamePath) scrollTo(0, 0);
}

/** Changes parameters of the present address; an empty value removes its parameter. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>, from: Place = place.get()): string {
  const query = new URLSearchParams(from.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? from.path : `${from.path}?${text}`;
}

export function followLinks(): void {
  addEventListener('popstate', () => {
    hasMoved = true;
    place.set(read());
  });
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a[href]');
    if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || link.pathname.startsWith('/api/')) return;
    // A jump within the page is left to the browser.
    if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    navigate(link.href);
  });
}
