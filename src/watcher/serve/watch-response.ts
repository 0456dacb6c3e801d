/**
 * Observes the response of a program: its head, and its body piece by piece. It may add one header and
 * changes nothing else; nothing is delayed. If another layer encodes the body before it arrives here, its
 * bytes are not those of the page and are not hashed.
 */
import type { ServerResponse } from 'node:http';

export interface ResponseHead {
  readonly status: number;
  /** The value in lower case; '' if the header is missing. */
  header(name: string): string;
}

export interface ResponseWatch {
  /** Called once, before the head is sent. May return a header to add. */
  onHead(head: ResponseHead): { readonly name: string; readonly value: string } | null;
  onBody(part: Buffer): void;
  /** Called when the whole response was handed over. */
  onEnd(): void;
}

type HeaderList = Record<string, unknown> | unknown[];

export function watchResponse(response: ServerResponse, watch: ResponseWatch): void {
  const { writeHead, write, end } = response;
  let isDecided = false;
  let isEnded = false;
  // A lower layer may call `write` from `end`. The bytes must be counted only once.
  let isInside = false;

  const decide = (status: number, given: HeaderList | null) => {
    if (isDecided) return null;
    isDecided = true;
    const header = (name: string) => String(givenHeader(given, name) ?? response.getHeader(name) ?? '').toLowerCase();
    return watch.onHead({ status, header });
  };

  response.writeHead = function (this: ServerResponse, ...args: unknown[]) {
    const given = typeof args.at(-1) === 'object' ? (args.at(-1) as HeaderList | null) : null;
    const added = decide(Number(args[0]), given);
    if (added !== null) args = withHeader(response, args, given, added.name, added.value);
    return Reflect.apply(writeHead, this, args);
  } as ServerResponse['writeHead'];

  const pass = (original: (...args: never[]) => unknown, self: ServerResponse, args: unknown[]): unknown => {
    if (isInside) return Reflect.apply(original, self, args);
    if (!response.headersSent) {
      const added = decide(response.statusCode, null);
      if (added !== null) appendHeader(response, added.name, added.value);
    }
    const part = bytesOf(args[0], args[1]);
    if (part !== null) watch.onBody(part);
    isInside = true;
    try {
      return Reflect.apply(original, self, args);
    } finally {
      isInside = false;
    }
  };

  response.write = function (this: ServerResponse, ...args: unknown[]) {
    return pass(write as never, this, args);
  } as ServerResponse['write'];

  response.end = function (this: ServerResponse, ...args: unknown[]) {
    isEnded = true;
    return pass(end as never, this, args);
  } as ServerResponse['end'];

  response.once('finish', () => {
    if (isEnded) watch.onEnd();
  });
}

function bytesOf(chunk: unknown, encoding: unknown): Buffer | null {
  if (typeof chunk === 'string')
    return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
  return chunk instanceof Uint8Array ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : null;
}

/** Headers come as an object, as a list of pairs, or as a flat list of names and values. */
function givenHeader(given: HeaderList | null, name: string): unknown {
  if (given === null) return undefined;
  const pairs = Array.isArray(given) ? pairsOf(given) : Object.entries(given);
  return pairs.find(([key]) => key.toLowerCase() === name)?.[1];
}

function pairsOf(list: readonly unknown[]): [string, unknown][] {
  if (Array.isArray(list[0])) return list.map((pair) => [String((pair as unknown[])[0]), (pair as unknown[])[1]]);
  return list.flatMap((name, i) => (i % 2 === 0 ? [[String(name), list[i + 1]] as [string, unknown]] : []));
}

/**
 * Headers passed to `writeHead` override headers set before. The added header must go where the others of its name are.
 */
function withHeader(response: ServerResponse, args: unknown[], given: HeaderList | null, name: string, value: string) {
  const own = givenHeader(given, name.toLowerCase());
  if (own === undefined) appendHeader(response, name, value);
  if (own === undefined || given === null) return args;
  if (Array.isArray(given))
    return [...args.slice(0, -1), [...given, ...(Array.isArray(given[0]) ? [[name, value]] : [name, value])]];
  const others = Object.entries(given).filter(([key]) => key.toLowerCase() !== name.toLowerCase());
  return [...args.slice(0, -1), { ...Object.fromEntries(others), [name]: [own, value].flat() }];
}

function appendHeader(response: ServerResponse, name: string, value: string): void {
  const before = response.getHeader(name);
  response.setHeader(name, before === undefined ? value : [before, value].flat().map(String));
}
