/** JSON-RPC 2.0 messages, as MCP uses them: no batches, and ids are texts or whole numbers. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Reserved for implementations by the specification. */
export const TOO_MANY_REQUESTS = -32000;
/** MCP 2026-07-28, Versioning. */
export const UNSUPPORTED_VERSION = -32022;

export type Id = string | number;
export type Params = Readonly<Record<string, unknown>>;

export type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  /** An answer to a request that this server never sends. */
  | { readonly kind: 'response' };

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Throws an RpcError for a line that is no message. `id` is the id of the line, if it has one. */
export function readMessage(line: Buffer): Message {
  const message = parse(line);
  if (!isObject(message)) {
    throw new RpcError(INVALID_REQUEST, 'a line must be one JSON-RPC message; batches are not supported');
  }
  const { jsonrpc, id, method, params = {} } = message;
  if (jsonrpc !== '2.0') throw new RpcError(INVALID_REQUEST, 'jsonrpc must be "2.0"');
  if (method === undefined && ('result' in message || 'error' in message)) return { kind: 'response' };
  if (typeof method !== 'string') throw new RpcError(INVALID_REQUEST, 'method must be a text');
  if (!isObject(params)) throw new RpcError(INVALID_PARAMS, 'params must be an object');
  if (id === undefined) return { kind: 'notification', method, params };
  if (!isId(id)) throw new RpcError(INVALID_REQUEST, 'id must be a text or a whole number');
  return { kind: 'request', id, method, params };
}

/** The id that an error about this line carries, as far as it can be read. */
export function idOf(line: Buffer): Id | null {
  try {
    const message = parse(line);
    return isObject(message) && isId(message.id) ? message.id : null;
  } catch {
    return null;
  }
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
  } catch {
    throw new RpcError(PARSE_ERROR, 'the line is not JSON in UTF-8');
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MOST_ID_CHARS = 1_000;

function isId(value: unknown): value is Id {
  return Number.isSafeInteger(value) || (typeof value === 'string' && value.length <= MOST_ID_CHARS);
}
