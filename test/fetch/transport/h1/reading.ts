import type { HttpFlaw } from '../../../../src/core/http-flaws.ts';
import type { ResponseHead } from '../../../../src/fetch/transport/h1/response-head.ts';
import { type ResponseListener, ResponseParser } from '../../../../src/fetch/transport/h1/response-parser.ts';

/** Everything that a parser reports about one response. */
export interface Reading {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly state: ResponseParser['state'];
  readonly fault: ResponseParser['fault'];
  readonly reusable: boolean;
  readonly flaws: readonly HttpFlaw[];
}

/** Feeds a response in the given pieces and then closes the connection, unless it stays `open`. */
export function readPieces(
  pieces: readonly Buffer[],
  { open = false, isHead = false, maxHeadBytes = 2_000 } = {},
): Reading {
  const heads: ResponseHead[] = [];
  let body = '';
  const listener: ResponseListener = {
    onHead: (head) => heads.push(head),
    onBody: (bytes, from, to) => {
      body += bytes.toString('latin1', from, to);
    },
  };
  const parser = new ResponseParser(listener, maxHeadBytes);
  parser.start(isHead);
  // As sockets do: one buffer for all reads, with remains of earlier reads after the bytes of this read.
  const readBuffer = Buffer.alloc(Math.max(64, ...pieces.map((piece) => piece.length)), '\r\n\r\n');
  for (const piece of pieces) {
    piece.copy(readBuffer);
    parser.feed(readBuffer, piece.length);
  }
  if (!open) parser.end();
  if (heads.length > 1) throw new Error('two heads for one response');
  const { state, fault, reusable, flaws } = parser;
  const { status = 0, statusText = '', rawHeaders: headers = [] } = heads[0] ?? {};
  return { status, statusText, headers, body, state, fault, reusable, flaws };
}

export function readWhole(bytes: Buffer, options: Parameters<typeof readPieces>[1] = {}): Reading {
  return readPieces([bytes], options);
}

export function inBytes(bytes: Buffer): Buffer[] {
  return Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
}

/** A linear congruential generator: whole numbers below `limit`. */
export function generator(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

export function inRandomPieces(bytes: Buffer, random: (limit: number) => number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + 1 + random(random(4) === 0 ? 40 : 6));
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

/** Deterministic damage: bytes are changed to awkward values, dropped and doubled. */
export function damage(bytes: Buffer, random: (limit: number) => number): Buffer {
  const awkward = Buffer.from('\r\n\0\t :;,0159afAF\x7f\xff-+gzx', 'latin1');
  let damaged = Buffer.from(bytes);
  for (let i = random(3); i >= 0; i--) {
    const at = random(damaged.length);
    const kind = random(4);
    if (kind < 2) damaged[at] = awkward[random(awkward.length)]!;
    else if (kind === 2) damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + 1 + random(4))]);
    else damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(Math.max(0, at - 5))]);
  }
  return damaged;
}

export const OK = 'HTTP/1.1 200 OK\r\n';

/** Responses that every parser understands. */
export const SOUND: Readonly<Record<string, string>> = {
  'a length': `${OK}Content-Type: text/html\r\nContent-Length: 12\r\n\r\nhello, world`,
  'no body': `${OK}content-length: 0\r\n\r\n`,
  'until it closes': `${OK}connection: close\r\n\r\nhello, world`,
  chunks: `${OK}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n`,
  'chunks with extensions': `${OK}Transfer-Encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n0;last\r\n\r\n`,
  'a trailer': `${OK}transfer-encoding: chunked\r\n\r\n00A\r\n0123456789\r\n0\r\nx-sum: 1\r\nx-two: 2\r\n\r\n`,
  'early hints': `HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
  'processing, twice': `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 102 P\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
  'HTTP/1.0': 'HTTP/1.0 200 OK\r\nserver: old\r\n\r\nhello',
  'HTTP/1.0 that stays': 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok',
  '204': 'HTTP/1.1 204 No Content\r\nserver: x\r\n\r\n',
  '304 with a length': 'HTTP/1.1 304 Not Modified\r\ncontent-length: 99\r\netag: "a"\r\n\r\n',
  'no reason': 'HTTP/1.1 404\r\ncontent-length: 2\r\n\r\nno',
  'odd values': `${OK}x-empty:\r\nx-tab:\ta\tb \r\nx-latin: caf\xe9\r\n!#$%&'*+-.^_\`|~9: token\r\ncontent-length:2\r\n\r\nok`,
  'gzip inside chunked': `${OK}transfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  'line ends first': `\r\n\r\n${OK}content-length: 2\r\n\r\nok`,
};
