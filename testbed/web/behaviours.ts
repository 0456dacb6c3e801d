import { gzipSync } from 'node:zlib';
import { CONTENT_BEHAVIOURS } from './hostile-content.ts';
import type { Behaviour, Visit } from './local-web.ts';

/**
 * The ways in which servers misbehave on the wire, by name. Each call of a factory is one server with its own memory.
 */
const WIRE_BEHAVIOURS = {
  /** Accepts the request and never answers. */
  NeverAnswers: (): Behaviour => () => {},

  /** A header that grows by a letter at intervals and never ends. */
  SlowHeaders: (everyMs = 20): Behaviour => dripping('HTTP/1.1 200 OK\r\nx-slow: ', 'z', everyMs),

  /** A body that grows by a byte at intervals and never ends. */
  SlowBody: (everyMs = 20): Behaviour =>
    dripping('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<p>', '.', everyMs),

  /** Half a body, then silence. */
  StalledBody: (): Behaviour => raw('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n<p>half'),

  /** An endless body, sent as fast as the client reads. */
  EndlessBody: (): Behaviour => (visit) => {
    visit.response.writeHead(200, { 'content-type': 'text/html' });
    const chunk = Buffer.alloc(64 * 1024, 'a');
    const pump = (): void => {
      while (!visit.response.destroyed && visit.response.write(chunk));
    };
    visit.response.on('drain', pump);
    pump();
  },

  EndlessRedirects:
    (): Behaviour =>
    ({ path, response }) => {
      const hop = Number(new URLSearchParams(path.split('?')[1]).get('hop') ?? 0);
      response.writeHead(302, { location: `${path.split('?')[0]}?hop=${hop + 1}` }).end();
    },

  /** A loop of two URLs. */
  RedirectLoop:
    (): Behaviour =>
    ({ path, response }) => {
      const [name, query] = path.split('?');
      response.writeHead(301, { location: query === 'b' ? `${name}?a` : `${name}?b` }).end();
    },

  RedirectToPrivate: (): Behaviour => redirect('http://169.254.169.254/latest/meta-data/'),

  /** A redirect to a URL that is not a web page. */
  RedirectToScript: (): Behaviour => redirect('javascript:alert(1)'),

  BrokenChunked: (): Behaviour =>
    raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\nthis is no length\r\n', 'end'),

  /** The last chunk never arrives. */
  UnfinishedChunked: (): Behaviour => raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n', 'end'),

  /** Content-Length promises more bytes than arrive. */
  WrongLengthTooLong: (): Behaviour => raw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<p>short', 'end'),

  /** Content-Length promises fewer bytes than arrive. */
  WrongLengthTooShort: (): Behaviour => raw('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello world', 'end'),

  ResetBeforeHeaders: (): Behaviour => raw('', 'reset'),

  ResetAfterHeaders: (): Behaviour => raw('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<p>some', 'reset'),

  /** The connection is closed without an answer. */
  EmptyReply: (): Behaviour => raw('', 'end'),

  GarbageStatus: (): Behaviour => raw('<html>this is no HTTP</html>\r\n\r\n', 'end'),

  HugeHeaders: (): Behaviour => raw(`HTTP/1.1 200 OK\r\nx-huge: ${'h'.repeat(1024 * 1024)}\r\n\r\nbody`, 'end'),

  /** A great many small headers in place of one huge header. */
  ManyHeaders: (): Behaviour => raw(`HTTP/1.1 200 OK\r\n${'x-many: 1234567890\r\n'.repeat(50_000)}\r\nbody`, 'end'),

  /** Answers "Too many requests" every time, or the first `times` times. */
  Throttling: (times = Number.POSITIVE_INFINITY, retryAfter = '2'): Behaviour =>
    failing(times, 429, { 'retry-after': retryAfter }),

  /** Fails `times` times, then works. */
  Flaky: (times = 2): Behaviour => failing(times, 500, {}),

  /** For /robots.txt: the server has an internal error. */
  RobotsError: (): Behaviour => failing(Number.POSITIVE_INFINITY, 503, {}),

  /** For /robots.txt: a rule that never ends. */
  SlowRobots: (everyMs = 20): Behaviour =>
    dripping('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\nUser-agent: ', '*', everyMs),

  /** The header says gzip, but the body is plain. */
  PlainLabelledGzip:
    (): Behaviour =>
    ({ response }) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('<p>plain');
    },

  /** A gzip stream that stops in the middle, with a matching Content-Length. */
  TruncatedGzip:
    (): Behaviour =>
    ({ response }) => {
      const whole = gzipSync(Array.from({ length: 5_000 }, (_, i) => `<p>${(i * 7919) % 10_007}</p>`).join(''));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole.subarray(0, whole.length / 2));
    },
} as const;

export const BEHAVIOURS = { ...WIRE_BEHAVIOURS, ...CONTENT_BEHAVIOURS } as const;

export type BehaviourName = keyof typeof BEHAVIOURS;

/** Writes bytes to the socket without the HTTP library. `then` says what happens to the connection. */
function raw(bytes: string, then: 'stay' | 'end' | 'reset' = 'stay'): Behaviour {
  return ({ socket }) => {
    if (then === 'end') socket.end(bytes, 'latin1');
    else if (then === 'reset') socket.write(bytes, 'latin1', () => socket.resetAndDestroy());
    else socket.write(bytes, 'latin1');
  };
}

function dripping(head: string, drop: string, everyMs: number): Behaviour {
  return ({ socket }: Visit) => {
    socket.write(head, 'latin1');
    const timer = setInterval(() => socket.write(drop), everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}

function redirect(location: string): Behaviour {
  return ({ response }) => {
    response.writeHead(302, { location }).end();
  };
}

function failing(times: number, status: number, headers: Record<string, string>): Behaviour {
  let failures = 0;
  return ({ response }) => {
    failures += 1;
    if (failures <= times) response.writeHead(status, headers).end('not now');
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>works</title>');
  };
}
