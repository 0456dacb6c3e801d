/**
 * Reads server-sent events with fetch, because an EventSource cannot send the token. In: an address and listeners.
 * The connection is opened again after every end, each time a little later, and continues after the last event.
 */
import { ApiError, request } from './client.ts';

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

export interface EventListeners {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (isConnected: boolean) => void;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** A line that is longer is not one of this server. */
const MAX_BUFFER_CHARS = 4_000_000;

/** Returns a function that closes the connection. */
export function readEvents(address: string, { onEvent, onState }: EventListeners): () => void {
  const abort = new AbortController();
  let lastId = '';
  let waitMs = FIRST_WAIT_MS;

  const readOnce = async (): Promise<void> => {
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (lastId !== '') headers['Last-Event-ID'] = lastId;
    const { body } = await request(address, { headers, signal: abort.signal });
    onState(true);
    waitMs = FIRST_WAIT_MS;
    const parse = createParser((event, id) => {
      if (id !== undefined) lastId = id;
      onEvent(event);
    });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parse(value);
    }
  };

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await readOnce();
      } catch (error) {
        if (abort.signal.aborted) return;
        // The server will refuse the same request again.
        if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) {
          onState(false);
          return;
        }
      }
      if (abort.signal.aborted) return;
      onState(false);
      await pause(waitMs, abort.signal);
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
    }
  };
  void run();
  return () => abort.abort();
}

/** Parses the event stream format (HTML standard, section 9.2.6). Comments and unknown fields are ignored. */
export function createParser(onEvent: (event: StreamEvent, id?: string) => void): (text: string) => void {
  let buffer = '';
  let name = '';
  let id: string | undefined;
  let data: string[] = [];
  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ name: name || 'message', data: data.join('\n') }, id);
      name = '';
      id = undefined;
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  };
  return (text) => {
    buffer += text;
    if (buffer.length > MAX_BUFFER_CHARS) throw new Error('An event of the server is too long.');
    const lines = buffer.split(/\r\n|\n/);
    buffer = lines.pop()!;
    for (const line of lines) readLine(line);
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
