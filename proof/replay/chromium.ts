/**
 * A headless Chromium that opens pages and lists its requests. In: URLs. Out: for each page, every request with the
 * status of its response. The pages come from servers of the proof on loopback only.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningChromium, startChromium } from '../../testbed/servers/chromium-program.ts';

/** A page counts as loaded when nothing was requested for this long after its load event. */
const QUIET_MS = 700;
const PAGE_MS = 30_000;
const POLL_MS = 50;

export interface BrowserRequest {
  readonly url: string;
  /** 0 if there was no response. */
  readonly status: number;
  /** The kind by Chromium's own names: Document, Stylesheet, Script, Image, Font … */
  readonly kind: string;
  /** Why the request failed, in Chromium's words; '' if it did not. */
  readonly error: string;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, never>;
  readonly result?: Record<string, never>;
  readonly error?: { readonly message: string };
}

export class Chromium {
  readonly #program: RunningChromium;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, never>>>();
  #calls = 0;
  #onEvent: (method: string, params: Record<string, never>) => void = () => {};

  private constructor(program: RunningChromium, socket: WebSocket) {
    this.#program = program;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as Message);
  }

  static async start(program: string, more: readonly string[] = []): Promise<Chromium> {
    const running = await startChromium(program, more);
    const socket = new WebSocket(running.endpoint);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Chromium(running, socket);
  }

  /** Opens a page in a new tab with an empty cache, and returns its requests when it is quiet. */
  async open(url: string): Promise<BrowserRequest[]> {
    const { browserContextId } = await this.#call('Target.createBrowserContext', {});
    const { targetId } = await this.#call('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await this.#call('Target.attachToTarget', { targetId, flatten: true });
    const requests = new Map<string, { url: string; status: number; kind: string; error: string }>();
    let [isLoaded, lastMs, running] = [false, Date.now(), 0];
    this.#onEvent = (method, params) => {
      const { requestId, request, response, type } = params as Record<string, Record<string, never> & string>;
      const known = requests.get(requestId!);
      if (method === 'Network.requestWillBeSent') {
        // A redirect has the same id as the request that it answers.
        if (known) requests.set(`${requestId} ${requests.size}`, { ...known, status: 302 });
        else running++;
        requests.set(requestId!, { url: request!.url!, status: 0, kind: type ?? 'Other', error: '' });
      } else if (method === 'Network.responseReceived' && known) {
        known.status = Number(response!.status);
        known.kind = type ?? known.kind;
      } else if (method === 'Network.loadingFinished' || method === 'Network.loadingFailed') {
        running--;
        if (known) known.error = (params as { readonly errorText?: string }).errorText ?? '';
      } else if (method === 'Page.loadEventFired') isLoaded = true;
      else return;
      lastMs = Date.now();
    };
    await this.#call('Network.enable', {}, sessionId);
    await this.#call('Page.enable', {}, sessionId);
    await this.#call('Page.navigate', { url }, sessionId);
    const endMs = Date.now() + PAGE_MS;
    while (Date.now() < endMs && !(isLoaded && running <= 0 && Date.now() - lastMs >= QUIET_MS)) await sleep(POLL_MS);
    this.#onEvent = () => {};
    await this.#call('Target.disposeBrowserContext', { browserContextId });
    return [...requests.values()];
  }

  async close(): Promise<void> {
    this.#socket.close();
    await this.#program.close();
  }

  async #call(method: string, params: object, sessionId?: string): Promise<Record<string, never>> {
    const id = ++this.#calls;
    const answer = Promise.withResolvers<Record<string, never>>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }));
    return answer.promise;
  }

  #receive({ id, method, params, result, error }: Message): void {
    if (id === undefined) {
      this.#onEvent(method!, params!);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result!);
  }
}
