import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { WARCParser } from 'warcio';

export interface SeenRecord {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly warc: ReadonlyMap<string, string>;
  readonly http: ReadonlyMap<string, string> | null;
  readonly statusLine: string;
  readonly payload: Buffer;
}

/**
 * Reads every record with warcio, an independent implementation that shares no code with ours, and checks the digests.
 */
export async function readWithWarcio(path: string): Promise<SeenRecord[]> {
  const parser = new WARCParser(createReadStream(path), { keepHeadersCase: false });
  const seen: SeenRecord[] = [];
  for await (const record of parser) {
    const { offset } = parser;
    const payload = Buffer.from(await record.readFully(false));
    await record.skipFully();
    const warc = new Map<string, string>(record.warcHeaders.headers);
    const http = record.httpHeaders === null ? null : new Map<string, string>(record.httpHeaders.headers);
    const statusLine = record.httpHeaders?.statusline ?? '';
    const stated = warc.get('warc-payload-digest');
    if (record.warcType === 'response') assert.equal(stated, `sha1:${base32(payload)}`);
    seen.push({ type: record.warcType, offset, length: 0, warc, http, statusLine, payload });
  }
  return seen;
}

/** RFC 4648 §6 in the slow and obvious way. */
export function base32(bytes: Buffer): string {
  const bits = [...createHash('sha1').update(bytes).digest()].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five, 2)]!);
}
