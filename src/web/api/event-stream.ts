/**
 * Reads server-sent events with fetch, because an EventSource cannot send the token. In: an address and listeners.
 *
 * What always holds: the connection is opened again after every end, each time a little later, and continues after the
 * last event. A page that nobody sees has no connection: a browser has only six for one server, and pages that are
 * hidden or kept for going back would take them all.
 */
import { ApiError, request } from './client.ts';
import { createParser, type StreamEvent } from './parse-events.ts';

export interface EventListeners {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onState: (isConnected: boolean) => void;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** People look at another tab for a moment and come back. */
const HIDDEN_MS = 5_000;

export class EventConnection {
  /** The connection stays open while the page is hidden, for notifications. */
  keepsHidden = false;
  readonly #address: string;
  readonly #listeners: EventListeners;
  #abort = new AbortController();
  #isClosed = false;
  #isRunning = false;
  #isAway = false;
  #hiddenTimer = 0;
  #lastId = '';
  #waitMs = FIRST_WAIT_MS;

  constructor(address: string, listeners: EventListeners) {
    this.#address = address;
    this.#listeners = listeners;
    addEventListener('pagehide', this.#leave);
    addEventListener('pageshow', this.#comeBack);
    document.addEventListener('visibilitychange', this.#changeVisibility);
    void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#leave();
    removeEventListener('pagehide', this.#leave);
    removeEventListener('pageshow', this.#comeBack);
    document.removeEventListener('visibilitychange', this.#changeVisibility);
  }

  #leave = (): void => {
    this.#isAway = true;
    clearTimeout(this.#hiddenTimer);
    this.#abort.abort();
  };

  #comeBack = (): void => {
    this.#isAway = false;
    clearTimeout(this.#hiddenTimer);
    void this.#run();
  };

  #changeVisibility = (): void => {
    if (!document.hidden) this.#comeBack();
    else if (!this.keepsHidden) this.#hiddenTimer = window.setTimeout(this.#leave, HIDDEN_MS);
  };

  async #run(): Promise<void> {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    while (!this.#isAway) {
      this.#abort = new AbortController();
      try {
        await this.#readOnce(this.#abort.signal);
      } catch (error) {
        // The server will refuse the same request again.
        const isRefused = error instanceof ApiError && error.status >= 400 && error.status < 500;
        if (isRefused && error.status !== 429) this.#isAway = true;
      }
      if (this.#abort.signal.aborted) continue;
      this.#listeners.onState(false);
      await pause(this.#waitMs, this.#abort.signal);
      this.#waitMs = Math.min(this.#waitMs * 2, MAX_WAIT_MS);
    }
    this.#isRunning = false;
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (this.#lastId !== '') headers['Last-Event-ID'] = this.#lastId;
    const { body } = await request(this.#address, { headers, signal });
    this.#listeners.onState(true);
    this.#waitMs = FIRST_WAIT_MS;
    const parse = createParser((event, id) => {
      if (id !== undefined) this.#lastId = id;
      this.#listeners.onEvent(event);
    });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parse(value);
    }
  }
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
