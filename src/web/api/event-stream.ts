/**
 * Reads server-sent events with fetch, because an EventSource cannot send the token. In: an address and listeners.
 * The connection is opened again after every end, each time a little later, and continues after the last event.
 */
import { ApiError, request } from './client.ts';
import { createParser, type StreamEvent } from './parse-events.ts';

export interface EventListeners {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (isConnected: boolean) => void;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;

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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
