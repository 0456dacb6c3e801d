import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * The head of a request as it was written, and the socket it went to. The HTTP client tells neither to its handlers,
 * but publishes both on its diagnostics channel, synchronously, between a handler's start and its return. So a handler
 * that is starting announces itself, and the next message on the channel is about it.
 */
export interface SentListener {
  onSent(head: string, socket: Socket): void;
}

let starting: SentListener | null = null;

diagnostics.subscribe('undici:client:sendHeaders', (message) => {
  const listener = starting;
  if (listener === null) return;
  starting = null;
  const { headers, socket } = message as { headers: string; socket: Socket };
  listener.onSent(headers, socket);
});

export function announceStart(listener: SentListener): void {
  starting = listener;
}

/** The archive is handed around: what proves who we are does not belong in it. */
export const CREDENTIALS = /^(?:proxy-)?authorization:/i;

/** "GET /x HTTP/1.1" and headers, each line with its CR LF; an h2 request is written in the same form. */
export function requestHeadText(head: string, isH2: boolean): string {
  if (head === '') return '';
  if (!isH2 && !/authorization:/i.test(head)) return head;
  const lines = head.split('\r\n').filter((line) => line !== '' && !CREDENTIALS.test(line));
  return `${(isH2 ? linesFromH2(lines) : lines).join('\r\n')}\r\n`;
}

function linesFromH2(lines: readonly string[]): string[] {
  const pseudo = new Map<string, string>();
  const rest: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(': ', 1);
    if (line.startsWith(':')) pseudo.set(line.slice(0, colon), line.slice(colon + 2));
    else rest.push(line);
  }
  const authority = pseudo.get(':authority') ?? '';
  return [`${pseudo.get(':method') ?? 'GET'} ${pseudo.get(':path') ?? '/'} HTTP/1.1`, `host: ${authority}`, ...rest];
}
