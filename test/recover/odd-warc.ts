/** WARC records as other tools write them, and records that no tool should write. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export interface OddRecord {
  readonly type: string;
  readonly uri?: string;
  readonly date?: string;
  readonly id?: string;
  readonly block?: string | Buffer;
  /** More header lines, each without a line end. */
  readonly more?: readonly string[];
  /** Replaces the true content length. */
  readonly contentLength?: string;
  readonly version?: string;
  readonly lineEnd?: string;
}

export function odd(record: OddRecord): Buffer {
  const { type, uri, date = '2021-03-04T05:06:07Z', id, more = [], version = 'WARC/1.0', lineEnd = '\r\n' } = record;
  const block = Buffer.from((record.block ?? '') as string);
  const lines = [
    version,
    `WARC-Type: ${type}`,
    ...(id === undefined ? [] : [`WARC-Record-ID: <urn:uuid:${id}>`]),
    ...(uri === undefined ? [] : [`WARC-Target-URI: ${uri}`]),
    ...(date === '' ? [] : [`WARC-Date: ${date}`]),
    ...more,
    ...(record.contentLength === '' ? [] : [`Content-Length: ${record.contentLength ?? block.length}`]),
  ];
  return Buffer.concat([Buffer.from(lines.join(lineEnd) + lineEnd + lineEnd), block, Buffer.from('\r\n\r\n')]);
}

export function answer(
  uri: string,
  body: string | Buffer,
  more: Partial<OddRecord> & { headers?: readonly string[]; status?: string } = {},
): Buffer {
  const { headers = ['Content-Type: text/html'], status = '200 OK', ...record } = more;
  const head = `HTTP/1.1 ${status}\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
  return odd({
    type: 'response',
    uri,
    ...record,
    block: Buffer.concat([Buffer.from(head), Buffer.from(body as string)]),
  });
}

export function chunked(...pieces: readonly string[]): string {
  return `${pieces.map((piece) => `${Buffer.byteLength(piece).toString(16)};x=y\r\n${piece}\r\n`).join('')}0\r\n\r\n`;
}

/** Writes one gzip member per record. */
export function members(records: readonly Buffer[]): Buffer {
  return Buffer.concat(records.map((record) => gzipSync(record)));
}

export function sha1Hex(bytes: string): string {
  return createHash('sha1').update(bytes).digest('hex');
}
