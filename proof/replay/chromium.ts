/**
 * A headless Chromium that opens pages and lists its requests. In: URLs. Out: for each page, every request with the
 * status of its response.
 *
 * Chromium refuses to run as root inside its sandbox, so root runs it as an account without other rights. The pages
 * come from servers of the proof on loopback only.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverAccount } from '../../testbed/servers/server-account.ts';
import { installPackage } from '../../testbed/servers/system-packages.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const START_MS = 60_000;
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

export async function findChromium(report: (line: string) => void): Promise<string> {
  const find = () => PROGRAMS.find((path) => existsSync(path));
  const problem = find() === undefined ? await installPackage('Chromium', 'chromium', report) : undefined;
  const found = find();
  if (found === undefined) throw new Error(problem ?? 'Chromium was installed, but its program was not found');
  return found;
}

export class Chromium {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Record<string, never>>>();
  #calls = 0;
  #onEvent: (method: string, params: Record<string, never>) => void = () => {};

  private constructor(child: ChildProcess, socket: WebSocket) {
    this.#process = child;
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)) as Message);
  }

  static async start(program: string, folder: string, more: readonly string[] = []): Promise<Chromium> {
    await mkdir(folder, { recursive: true });
    const account = serverAccount();
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    await chmod(folder, 0o700);
    const flags = ['--headless=new', '--remote-debugging-port=0', `--user-data-dir=${folder}`, '--no-first-run'];
    // Nothing but the pages is requested: no updates, no telemetry, no lists of dangerous sites.
    const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-gpu'];
    const child = spawn(program, [...flags, ...quiet, ...more, 'about:blank'], {
      ...account,
      cwd: folder,
      env: { HOME: folder, PATH: process.env.PATH, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
    const portFile = join(folder, 'DevToolsActivePort');
    for (const endMs = Date.now() + START_MS; !existsSync(portFile); await sleep(POLL_MS)) {
      if (child.exitCode !== null || Date.now() > endMs) throw new Error(`Chromium did not start:\n${said}`);
    }
    await sleep(POLL_MS);
    const [port, path] = readFileSync(portFile, 'utf8').trim().split('\n');
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = reject;
    });
    return new Chromium(child, socket);
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
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#socket.close();
    this.#process.kill();
    await ended;
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
