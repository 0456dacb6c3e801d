/**
 * Part c: hostile clients while a crawl runs. Slow connections, a body of 1 GB, wrong names, foreign origins, missing
 * and wrong tokens, and paths that try to leave. All are refused, the memory is bounded, and the crawl is unharmed.
 */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProofContext, ProofRow } from '../proof.ts';
import type { ServeProcess } from './serve-process.ts';

const SLOW_CONNECTIONS = 10_000;
const AT_ONCE = 500;
const BODY_BYTES = 1_000_000_000;
const CHUNK = Buffer.alloc(65_536, 'a');
const MEMORY_MB = 250;

interface Attempt {
  readonly what: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowed: readonly number[];
}

const JSON_TYPE = { 'content-type': 'application/json' };

function attempts(serve: ServeProcess): Attempt[] {
  const own = serve.authorization;
  const write = { method: 'POST', path: '/api/copies/crawled/changes/seen' };
  return [
    { what: 'another name in Host', headers: { host: 'evil.test' }, allowed: [403] },
    { what: 'a name that rebinds', headers: { host: `127.0.0.1.evil.test:${serve.port}` }, allowed: [403] },
    { what: 'a foreign Origin', headers: { origin: 'http://evil.test' }, allowed: [403] },
    { what: 'Origin null', headers: { origin: 'null' }, allowed: [403] },
    { what: 'a request of another site', headers: { 'sec-fetch-site': 'cross-site' }, allowed: [403] },
    {
      what: 'a foreign Origin with the token',
      ...write,
      headers: { ...own, ...JSON_TYPE, origin: 'http://evil.test' },
      allowed: [403],
    },
    { what: 'a change without the token', ...write, headers: JSON_TYPE, allowed: [401] },
    {
      what: 'a change with a wrong token',
      ...write,
      headers: { ...JSON_TYPE, authorization: 'Bearer x' },
      allowed: [401, 429],
    },
    { what: 'a form of another site', ...write, headers: { ...own, 'content-type': 'text/plain' }, allowed: [415] },
    ...[
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fetc/passwd',
      '/assets/../../package.json',
      '//etc/passwd',
      '/%00',
      '/\\..\\x',
    ].map((path) => {
      return { what: `the path ${path}`, path, allowed: [200, 400, 403, 404] };
    }),
    { what: 'a copy that is a path', path: '/api/copies/..%2f..', headers: own, allowed: [404] },
    { what: 'an archived page with a wrong key', path: '/archived/x/crawled/1/aHR0cDovL2E', allowed: [404] },
    { what: 'a header of 60 KB', headers: { x: 'a'.repeat(60_000) }, allowed: [0, 431] },
  ];
}

export async function attackServer({ report }: ProofContext, serve: ServeProcess): Promise<ProofRow[]> {
  const wrong: string[] = [];
  for (const attempt of attempts(serve)) {
    const { status, body } = await send(serve, attempt);
    const leaks = /root:.*:0:0|"devDependencies"/.test(body);
    if (!attempt.allowed.includes(status) || leaks)
      wrong.push(`${attempt.what}: ${status}${leaks ? ', leaks a file' : ''}`);
  }
  for (const line of wrong) report(line);
  const bodyStatus = await sendHugeBody(serve);
  const { answered, peakMb } = await holdSlowConnections(serve, report);
  return [
    {
      what: `attempts that were not refused, of ${attempts(serve).length}`,
      target: '0',
      measured: String(wrong.length),
      holds: wrong.length === 0,
    },
    {
      what: 'a body of 1 GB',
      target: 'refused with 413',
      measured: String(bodyStatus),
      holds: [413, 0].includes(bodyStatus),
    },
    {
      what: `another client beside ${SLOW_CONNECTIONS} slow connections is answered at last`,
      target: 'yes',
      measured: answered,
      holds: answered.startsWith('yes'),
    },
    {
      what: 'most memory of the server, MB',
      target: `≤ ${MEMORY_MB}`,
      measured: String(peakMb),
      holds: peakMb <= MEMORY_MB,
    },
  ];
}

/** Status 0: the connection was closed without an answer. */
function send(serve: ServeProcess, { method = 'GET', path = '/api/copies', headers = {} }: Attempt) {
  return new Promise<{ status: number; body: string }>((resolve) => {
    const sent = request({ host: '127.0.0.1', port: serve.port, method, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body = (body + chunk).slice(0, 100_000);
      });
      response.on('close', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', () => resolve({ status: 0, body: '' }));
    sent.end(method === 'GET' ? undefined : '{"seq":0}');
  });
}

function sendHugeBody(serve: ServeProcess): Promise<number> {
  return new Promise((resolve) => {
    const headers = { ...serve.authorization, ...JSON_TYPE };
    const options = {
      host: '127.0.0.1',
      port: serve.port,
      method: 'POST',
      path: '/api/copies/crawled/changes/seen',
      headers,
      agent: false,
    };
    let left = BODY_BYTES;
    const sent = request(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', () => resolve(0));
    const write = (): void => {
      while (left > 0 && !sent.destroyed) {
        left -= CHUNK.length;
        if (!sent.write(CHUNK)) return void sent.once('drain', write);
      }
      sent.end();
    };
    write();
  });
}

/** Connections that send one byte of a header now and then. Each batch is held while another client asks. */
async function holdSlowConnections(serve: ServeProcess, report: (line: string) => void) {
  const sockets = new Set<Socket>();
  let slowest = 0;
  let refused = 0;
  for (let made = 0; made < SLOW_CONNECTIONS; made += AT_ONCE) {
    for (let i = 0; i < AT_ONCE; i++) {
      const socket = connect(serve.port, '127.0.0.1', () => socket.write('GET /api/copies HTTP/1.1\r\nHost: x\r\nX: '));
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    for (const socket of sockets) if (socket.writable) socket.write('a');
    const startMs = performance.now();
    while ((await send(serve, { what: 'another client', path: '/health', allowed: [200] })).status !== 200) {
      refused++;
      await sleep(200);
      if (performance.now() - startMs > 60_000) return { answered: 'no', peakMb: serve.memoryMb.peak };
    }
    slowest = Math.max(slowest, performance.now() - startMs);
  }
  report(`${refused} requests of another client were refused meanwhile`);
  for (const socket of sockets) socket.destroy();
  return { answered: `yes, after at most ${(slowest / 1_000).toFixed(1)} s`, peakMb: serve.memoryMb.peak };
}
