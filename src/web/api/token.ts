/**
 * The token of this browser tab. The server prints a link with `#token=…`; a fragment is never sent over the network,
 * and the address loses it at once, so that nobody copies it by accident.
 */
const KEY = 'orbweaver-token';
let token = readStored();

export function takeTokenFromAddress(): void {
  const match = /^#token=([\w.~+/=-]{8,400})$/.exec(location.hash);
  if (match === null) return;
  storeToken(match[1]!);
  history.replaceState(history.state, '', location.pathname + location.search);
}

export function storeToken(value: string): void {
  token = value;
  try {
    sessionStorage.setItem(KEY, value);
  } catch {
    // A browser that stores nothing keeps the token until the tab is loaded again.
  }
}

export function hasToken(): boolean {
  return token !== '';
}

export function authorization(): Record<string, string> {
  return token === '' ? {} : { Authorization: `Bearer ${token}` };
}

function readStored(): string {
  try {
    return sessionStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}
