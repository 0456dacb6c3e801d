/**
 * Responses that are not simply a page, as every crawler meets them. All are valid
 * HTTP. The hostile ones are in the tests.
 */
import type { Answer, Responder } from './site.ts';

export function redirect(location: string, status: 301 | 302 | 307 | 308 = 301): Responder {
  return () => ({ status, headers: { location }, body: '' });
}

/** `/a` → `/b` → … → the last path. */
export function redirectChain(paths: readonly string[]): [path: string, responder: Responder][] {
  return paths.slice(0, -1).map((path, i) => [path, redirect(paths[i + 1]!, i % 2 === 0 ? 301 : 302)]);
}

export function redirectLoop(one: string, other: string): [path: string, responder: Responder][] {
  return [
    [one, redirect(other, 302)],
    [other, redirect(one, 302)],
  ];
}

export function slow(responder: Responder, delayMs: number): Responder {
  return (visit) => {
    const answer = responder(visit);
    return answer === null ? null : { ...answer, delayMs };
  };
}

/** Responds 503 to the first visit, and normally to every later one. */
export function busyAtFirst(responder: Responder, retryAfterSeconds: number): Responder {
  let visits = 0;
  return (visit) => {
    if (visits++ > 0) return responder(visit);
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': String(retryAfterSeconds) };
    return { status: 503, headers, body: 'One moment, please: the barometer is being read.\n' };
  };
}

/**
 * A page in an encoding other than UTF-8. The HTML head always names the encoding, the HTTP header only if `inHeader`.
 */
export function encoded(page: string, charset: 'iso-8859-1' | 'shift_jis', inHeader: boolean): Answer {
  const body = charset === 'iso-8859-1' ? Buffer.from(page, 'latin1') : encodeShiftJis(page);
  return { status: 200, headers: { 'content-type': inHeader ? `text/html; charset=${charset}` : 'text/html' }, body };
}

/** Node can decode Shift_JIS but cannot encode it. The table is built from the decoder, in reverse. */
function encodeShiftJis(text: string): Buffer {
  const table = new Map<string, readonly [number, number]>();
  const decoder = new TextDecoder('shift_jis');
  for (let lead = 0x81; lead <= 0xef; lead = lead === 0x9f ? 0xe0 : lead + 1) {
    for (let trail = 0x40; trail <= 0xfc; trail++) {
      const pair = [lead, trail] as const;
      const character = decoder.decode(Uint8Array.from(pair));
      if (character.length === 1 && character !== '\ufffd' && !table.has(character)) table.set(character, pair);
    }
  }
  const bytes: number[] = [];
  for (const character of text) {
    if (character < '\x80') bytes.push(character.charCodeAt(0));
    else bytes.push(...(table.get(character) ?? [0x3f]));
  }
  return Buffer.from(bytes);
}
