/**
 * Measures the cost of archiving a page, and C11: which codec stores page sources best, by CPU time per saved
 * byte. Absolute figures depend on the machine and its load. Compare the lines of one run with each other,
 * and make several runs.
 *
 * node bench/parts/archive.ts [pages]
 */
import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ArchiveWriter, type HttpExchange } from '../../src/archive/warc-writer.ts';
import { systemClock } from '../../src/core/clock.ts';

const pages = Number(process.argv[2] ?? 4000);
const ROUNDS = 5;
const WORDS = Array.from({ length: 2000 }, (_, n) => (n * 2654435761).toString(36).slice(-3 - (n % 6)));

/**
 * Returns HTML of about `bytes` bytes, different for each seed, that compresses like a real page: to about a quarter.
 */
function htmlPage(bytes: number, seed: number): Buffer {
  let state = (seed + 1) * 2654435761;
  const word = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return WORDS[(state >>> 8) % WORDS.length]!;
  };
  let html = `<!doctype html><title>${word()} ${word()}</title>\n`;
  while (html.length < bytes) {
    html += `<p class="entry"><a href="/${word()}/${word()}.html">${word()} ${word()}</a> ${word()} ${word()} ${word()}</p>\n`;
  }
  return Buffer.from(html);
}

function exchangeOf(n: number, body: Buffer, coding: string | null): HttpExchange {
  return {
    url: `http://127.0.0.1:8080/section/${n % 97}/page-${n}.html`,
    fetchedAtMs: 1_700_000_000_000 + n,
    ip: '127.0.0.1',
    protocol: 'http/1.1',
    requestHead: `GET /section/${n % 97}/page-${n}.html HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nuser-agent: Orbweaver/0.1\r\naccept: */*\r\naccept-encoding: gzip, br\r\n`,
    status: 200,
    statusText: 'OK',
    rawHeaders: [
      ...[
        'Server',
        'nginx/1.24.0',
        'Date',
        'Sat, 15 Nov 2025 09:46:40 GMT',
        'Content-Type',
        'text/html; charset=utf-8',
      ],
      ...['Last-Modified', 'Fri, 14 Nov 2025 01:02:03 GMT', 'Transfer-Encoding', 'chunked', 'Connection', 'keep-alive'],
      ...['ETag', `W/"${n.toString(16)}-2f8a"`, 'Vary', 'Accept-Encoding'],
      ...(coding === null ? [] : ['Content-Encoding', coding]),
    ],
    body: [body],
    truncated: null,
    contentType: 'text/html',
  };
}

function measure(name: string, count: number, run: (n: number) => number): { us: number; bytes: number } {
  let best = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    bytes = 0;
    const start = process.hrtime.bigint();
    for (let n = 0; n < count; n++) bytes += run(n);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1000 / count);
  }
  bytes /= count;
  writeSync(1, `${name.padEnd(44)} ${best.toFixed(1).padStart(8)} µs ${bytes.toFixed(0).padStart(8)} bytes a page\n`);
  return { us: best, bytes };
}

async function appended(name: string, count: number, exchange: (n: number) => HttpExchange): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'));
  const software = 'Orbweaver';
  const writer = new ArchiveWriter({
    dir,
    unit: 'b',
    maxFileBytes: 1e9,
    software,
    userAgent: software,
    clock: systemClock,
  });
  let before = 0;
  const { us } = measure(name, count, (n) => {
    const { file } = writer.append(exchange(n));
    const length = writer.flush().get(file)!;
    const grown = length - before;
    before = length;
    return grown;
  });
  await writer.close();
  rmSync(dir, { recursive: true });
  return us;
}

// Each page gets its own number in every round. Otherwise the later rounds would write revisit records.
const bodies = Array.from({ length: 64 }, (_, n) => htmlPage(36_000, n));
const gzipped = bodies.map((body) => gzipSync(body));
let serial = 0;
const fresh = (source: readonly Buffer[]) => {
  const body = Buffer.from(source[serial % source.length]!);
  body.writeUInt32LE(serial++, body.length >> 1);
  return body;
};

const stored = await appended('append, gzipped body', pages, (n) => exchangeOf(n, fresh(gzipped), 'gzip'));
await appended('append, revisit', pages, (n) => exchangeOf(n, gzipped[0]!, 'gzip'));
const deflated = await appended('append, identity HTML', pages / 10, (n) => exchangeOf(n, fresh(bodies), null));
writeSync(1, `identity costs ${(deflated / stored).toFixed(1)} times a body that came gzipped\n\n`);

const head = Buffer.from(exchangeOf(1, gzipped[0]!, 'gzip').rawHeaders.join(': ').repeat(2));
measure(`deflate 1 of a head of ${head.length} bytes`, pages, () => deflateRawSync(head, { level: 1 }).length);
const zstdLevel = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const codecs: readonly [string, (body: Buffer) => Buffer][] = [
  ['gzip 1', (body) => gzipSync(body, { level: 1 })],
  ['gzip 6', (body) => gzipSync(body, { level: 6 })],
  ['zstd 1 (no archive tool reads it)', (body) => zstdCompressSync(body, zstdLevel)],
];
for (const [name, compress] of codecs) {
  const { us, bytes } = measure(
    `C11 ${name}`,
    Math.ceil(pages / 10),
    (n) => compress(bodies[n % bodies.length]!).length,
  );
  const savedKb = (36_000 - bytes) / 1000;
  writeSync(1, `${''.padEnd(44)} ${(us / savedKb).toFixed(2).padStart(8)} µs per KB saved\n`);
}
