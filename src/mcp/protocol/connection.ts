/**
 * One client on two streams. In: lines. Out: answers, and notifications about running requests. What always holds:
 * requests are answered once, except for cancelled ones, which are not answered; the number of running requests and the
 * memory for input and output are bounded; and wrong input never ends the connection.
 */
import type { Readable, Writable } from 'node:stream';
import { safeJson } from '../../core/safe-text.ts';
import type { ToolResult } from '../answer.ts';
import { discovered, initialized, isModern, modernResult } from './eras.ts';
import {
  type Id,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idOf,
  isObject,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  type Params,
  RpcError,
  readMessage,
  TOO_MANY_REQUESTS,
} from './json-rpc.ts';
import { LineReader } from './line-reader.ts';

/** Arguments of tools are far shorter. */
const MOST_LINE_BYTES = 1_000_000;
const MOST_RUNNING = 16;

export interface CallContext {
  readonly signal: AbortSignal;
  /** Tells the client how far the call is. `progress` must grow. */
  readonly progress: (progress: number, total: number, message: string) => void;
}

export interface ToolService {
  readonly instructions: string;
  /** The descriptions of the tools, as `tools/list` gives them. */
  readonly tools: readonly (Params & { readonly name: string })[];
  /** Null if the call was cancelled. */
  call(name: string, given: unknown, context: CallContext): Promise<ToolResult | null>;
  /** The client sends nothing more. What takes long ends now, and is answered. */
  inputEnded(): void;
  /** For the log. */
  failed(detail: string): void;
}

export class Connection {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #service: ToolService;
  readonly #running = new Map<Id, AbortController>();
  readonly #work = new Set<Promise<void>>();
  #isInitialized = false;

  constructor(input: Readable, output: Writable, service: ToolService) {
    this.#input = input;
    this.#output = output;
    this.#service = service;
  }

  /** Resolves when the input has ended and nothing runs any more. */
  async serve(): Promise<void> {
    const tooLong = () =>
      this.#refuse(null, new RpcError(PARSE_ERROR, `a line must not be longer than ${MOST_LINE_BYTES} bytes`));
    const lines = new LineReader(MOST_LINE_BYTES, (line) => this.#receive(line), tooLong);
    const ended = new Promise<void>((resolve) => {
      for (const event of ['end', 'close', 'error']) this.#input.once(event, () => resolve());
    });
    this.#input.on('data', (chunk: Buffer) => lines.take(chunk));
    await ended;
    lines.end();
    this.#service.inputEnded();
    await Promise.all(this.#work);
  }

  /** Cancels everything that runs, and reads no more. */
  stop(): void {
    for (const controller of this.#running.values()) controller.abort();
    this.#input.destroy();
  }

  #receive(line: Buffer): void {
    try {
      const message = readMessage(line);
      if (message.kind === 'notification') this.#notice(message.method, message.params);
      if (message.kind === 'request') this.#begin(message.id, message.method, message.params);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      this.#refuse(idOf(line), error);
    }
  }

  #notice(method: string, { requestId }: Params): void {
    if (method === 'notifications/cancelled') this.#running.get(requestId as Id)?.abort();
  }

  #begin(id: Id, method: string, params: Params): void {
    if (this.#running.has(id)) throw new RpcError(INVALID_REQUEST, 'a request with this id is still running');
    if (method === 'tools/call' && this.#running.size >= MOST_RUNNING)
      throw new RpcError(TOO_MANY_REQUESTS, 'too many requests are running');
    const controller = new AbortController();
    this.#running.set(id, controller);
    const work = this.#answer(id, method, params, controller.signal).finally(() => {
      this.#running.delete(id);
      this.#work.delete(work);
    });
    this.#work.add(work);
  }

  async #answer(id: Id, method: string, params: Params, signal: AbortSignal): Promise<void> {
    try {
      const modern = isModern(method, params);
      const result = await this.#result(method, params, modern, signal);
      if (result === null || signal.aborted) return;
      this.#send({ jsonrpc: '2.0', id, result: modern ? modernResult(method, result) : result });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RpcError) {
        this.#refuse(id, error);
        return;
      }
      this.#service.failed(String((error as Error).stack));
      this.#refuse(id, new RpcError(INTERNAL_ERROR, 'internal error'));
    }
  }

  async #result(method: string, params: Params, modern: boolean, signal: AbortSignal): Promise<Params | null> {
    const { instructions, tools } = this.#service;
    if (modern && method === 'server/discover') return discovered(instructions);
    if (!modern && method === 'initialize') {
      this.#isInitialized = true;
      return initialized(params, instructions);
    }
    if (!modern && method === 'ping') return {};
    if (!modern && !this.#isInitialized) {
      throw new RpcError(INVALID_REQUEST, 'the first request must be initialize or server/discover');
    }
    if (method === 'tools/list') return { tools };
    if (method === 'tools/call') return this.#call(params, signal);
    throw new RpcError(METHOD_NOT_FOUND, `there is no method ${method.slice(0, 100)}`);
  }

  async #call({ name, arguments: given, _meta }: Params, signal: AbortSignal): Promise<Params | null> {
    if (typeof name !== 'string') throw new RpcError(INVALID_PARAMS, 'name must be a text');
    if (!this.#service.tools.some((tool) => tool.name === name)) {
      throw new RpcError(INVALID_PARAMS, `Unknown tool: ${name.slice(0, 100)}`);
    }
    const token = isObject(_meta) ? _meta.progressToken : undefined;
    const progress: CallContext['progress'] = (progress, total, message) => {
      if (signal.aborted || (typeof token !== 'string' && !Number.isSafeInteger(token))) return;
      const params = { progressToken: token, progress, total, message };
      this.#send({ jsonrpc: '2.0', method: 'notifications/progress', params });
    };
    return (await this.#service.call(name, given, { signal, progress })) as Params | null;
  }

  #refuse(id: Id | null, { code, message, data }: RpcError): void {
    this.#send({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  }

  /** A client that does not read its answers is not asked for more requests. */
  #send(message: Readonly<Record<string, unknown>>): void {
    if (!this.#output.writable || this.#output.write(`${safeJson(message)}\n`)) return;
    this.#input.pause();
    this.#output.once('drain', () => this.#input.resume());
  }
}
