import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ArchiveWriter, type ArchiveWriterOptions, type HttpExchange } from '../../src/archive/warc-writer.ts';
import type { Clock } from '../../src/core/clock.ts';

export const FETCHED_AT_MS = Date.UTC(2025, 10, 15, 9, 46, 40, 123);
export const fixedClock: Clock = { now: () => FETCHED_AT_MS, after: () => () => {} };

export function archiveFolder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-archive-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export function writerIn(dir: string, options: Partial<ArchiveWriterOptions> = {}): ArchiveWriter {
  const software = 'Orbweaver/test';
  const userAgent = 'Orbweaver/test (+http://127.0.0.1/)';
  return new ArchiveWriter({ dir, unit: 'u1', maxFileBytes: 1e9, software, userAgent, clock: fixedClock, ...options });
}

export function exchange(overrides: Partial<HttpExchange> = {}): HttpExchange {
  return {
    url: 'http://127.0.0.1:8080/page',
    fetchedAtMs: FETCHED_AT_MS,
    ip: '127.0.0.1',
    protocol: 'http/1.1',
    requestHead: 'GET /page HTTP/1.1\r\nhost: 127.0.0.1:8080\r\n',
    status: 200,
    statusText: 'OK',
    rawHeaders: ['Content-Type', 'text/html'],
    body: [Buffer.from('<p>a page</p>')],
    truncated: null,
    contentType: 'text/html',
    ...overrides,
  };
}

/** Bytes that do not compress. The same seed gives the same bytes. */
export function noise(bytes: number, seed = 1): Buffer {
  const buffer = Buffer.allocUnsafe(bytes);
  let state = seed * 2654435761;
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    buffer[at] = state >>> 24;
  }
  return buffer;
}
