/**
 * A data folder whose pages change from round to round, made with the real store and archive, and
 * a list of every response. Each round writes its own file, as a run of the crawler does, and
 * refers to earlier payloads that occur again.
 */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_PAYLOAD_BYTES, SharedPayloads } from '../../../src/archive/shared-payloads.ts';
import { ARCHIVE_FOLDER } from '../../../src/crawl/place/data-folder.ts';
import { LATEST_MS, readCopy } from '../../../src/crawl/place/read-archived.ts';
import type { CaptureRecord, Store } from '../../../src/store/contract.ts';
import { openSqliteStore, readSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { hostOf } from '../../../src/url/host.ts';
import { urlKeyHex } from '../../../src/url/key.ts';
import type { SeededRandom } from '../../../testbed/random.ts';
import { exchange, noise, writerIn } from '../../archive/exchange.ts';
import { readWithWarcio, type SeenRecord } from '../../archive/independent-reader.ts';
import { claimOne, commit, found, NOW_MS, resultOf } from '../../store/rows.ts';

export interface Answer {
  readonly atMs: number;
  readonly status: number;
  readonly body: Buffer;
  readonly record: CaptureRecord;
}

export const ROUND_MS = 3_600_000;
const STATUSES = [200, 200, 200, 200, 404, 301];

export class VersionedCopy {
  readonly dir: string;
  readonly answers = new Map<string, Answer[]>();
  readonly #random: SeededRandom;
  readonly #bodyBytes: number;
  #rounds = 0;

  constructor(dir: string, pages: number, random: SeededRandom, bodyBytes = 3_000) {
    this.dir = dir;
    this.#random = random;
    this.#bodyBytes = bodyBytes;
    for (let n = 0; n < pages; n++) this.answers.set(`http://site.test/${n}`, []);
  }

  get archiveDir(): string {
    return join(this.dir, ARCHIVE_FOLDER);
  }

  get nowMs(): number {
    return NOW_MS + this.#rounds * ROUND_MS;
  }

  /** Some pages get a new response, some get an earlier one, and some are not requested. */
  async round(): Promise<void> {
    const store = openSqliteStore(this.dir, NOW_MS);
    const known = await this.#committedPayloads(store);
    const clock = { now: () => this.nowMs, after: () => () => {} };
    const writer = writerIn(this.archiveDir, { unit: 'u1', clock, sharedPayloads: known });
    await store.seed(
      [...this.answers.keys()].map((url) => found(url)),
      NOW_MS,
    );
    const lease = await claimOne(store);
    const captures = new Map<string, CaptureRecord>();
    for (const [n, url] of [...this.answers.keys()].entries()) {
      if (this.#random.below(4) === 0) continue;
      const atMs = this.nowMs + n;
      const status = this.#random.pick(STATUSES);
      const body = this.#body(n);
      const contentType = this.#random.pick(['text/html', 'image/png']);
      const rawHeaders = ['Content-Type', contentType];
      const metadata = this.#random.below(3) === 0 ? { metadata: { via: 'http://site.test/' } } : {};
      const place = writer.append(
        exchange({ url, fetchedAtMs: atMs, status, contentType, body: [body], rawHeaders, ...metadata }),
      );
      const record = { fetchedAtMs: atMs, status, contentType, ...place };
      captures.set(url, record);
      this.answers.get(url)!.push({ atMs, status, body, record });
    }
    await writer.close();
    const results = lease.urls
      .filter(({ url }) => captures.has(url))
      .map((task) => resultOf(lease, task, { state: 'waiting', capture: captures.get(task.url)! }));
    await commit(store, results, { archive: writer.flush() });
    await store.close();
    this.#rounds++;
  }

  /** One of a few contents of the page, or one that several pages share. */
  #body(page: number): Buffer {
    const seed = this.#random.below(3) === 0 ? this.#random.below(3) : 100 + page * 10 + this.#random.below(4);
    return noise(200 + ((seed * 7_919) % this.#bodyBytes), seed + 1);
  }

  async #committedPayloads(store: Store): Promise<SharedPayloads> {
    const payloads = new SharedPayloads(new SharedArrayBuffer(SHARED_PAYLOAD_BYTES));
    for (const url of this.answers.keys()) {
      for (const { payloadDigest, fetchedAtMs, file, offset, revisit } of await capturesOf(store, url)) {
        if (!revisit) payloads.remember(payloadDigest.slice('sha1:'.length), { url, fetchedAtMs, file, offset });
      }
    }
    return payloads;
  }

  /** Reads every response that the store still has and compares it. Returns them by URL, oldest first. */
  async readBack(): Promise<Map<string, Answer[]>> {
    const store = readSqliteStore(this.dir);
    try {
      const kept = new Map<string, Answer[]>();
      for (const [url, answers] of this.answers) {
        const records = (await capturesOf(store, url)).toReversed();
        const there = records.map(({ fetchedAtMs }) => answers.find(({ atMs }) => atMs === fetchedAtMs)!);
        for (const { atMs, body, status, record } of there) {
          const copy = await readCopy(store, this.dir, url, atMs);
          assert.ok(copy?.body.equals(body), `${url} of ${atMs}`);
          assert.equal(copy?.capture.status, status);
          assert.equal(copy?.record.payloadDigest, record.payloadDigest);
        }
        kept.set(url, there);
      }
      return kept;
    } finally {
      await store.close();
    }
  }

  /** Every record of every file, read by an implementation that shares no code with ours. */
  async records(): Promise<SeenRecord[]> {
    const all: SeenRecord[] = [];
    for (const file of this.files()) all.push(...(await readWithWarcio(join(this.archiveDir, file))));
    return all;
  }

  files(): string[] {
    return readdirSync(this.archiveDir).sort();
  }

  bytesOnDisk(): number {
    return this.files().reduce((sum, file) => sum + statSync(join(this.archiveDir, file)).size, 0);
  }
}

export async function capturesOf(store: Store, url: string): Promise<readonly CaptureRecord[]> {
  return store.capturesOf(hostOf(url), urlKeyHex(url), LATEST_MS, LATEST_MS);
}
