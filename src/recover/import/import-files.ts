/**
 * Answers of WARC files of other tools, written into archive files of the copy. In: files. Out: new archive files, which are then added to the
 * copy like any that the database does not know, and counts. Always: the files are only read; an answer that the copy has is not written
 * again; everything in a file is hostile input, and none of it becomes a path.
 *
 * Answers are written in our own form (docs/archive.md), not copied byte for byte: without transfer coding, a gzip member a record, with true
 * lengths and digests. So every command reads them like pages of a crawl. A metadata record names the file and the record they came from.
 */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import type { HttpExchange } from '../../archive/exchange-records.ts';
import { DIGEST_PREFIX, sha1Base32 } from '../../archive/sha1-base32.ts';
import { type Capture, type CaptureAddress, readCapture } from '../../archive/warc-reader.ts';
import { ArchiveWriter } from '../../archive/warc-writer.ts';
import type { Clock } from '../../core/clock.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import { type CrawlOptions, VERSION } from '../../core/options.ts';
import type { CrawlInfo } from '../../crawl/crawl-identity.ts';
import { normalizerFor } from '../../crawl/link-forms.ts';
import type { Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import { isSameTime, type RecordIndex } from '../record-index.ts';
import { type ForeignAnswer, type LeftOut, readAnswer, requestHeadOf } from './foreign-exchange.ts';
import type { ImportCounts } from './import-counts.ts';
import { plainPieces } from './plain-bytes.ts';
import { type ForeignRecord, RecordParser } from './record-parser.ts';

export interface ImportSetup {
  readonly archiveDir: string;
  readonly index: RecordIndex;
  readonly store: Pick<Store, 'capturesOf' | 'payloadPlace'>;
  readonly options: CrawlOptions;
  readonly about: CrawlInfo;
  readonly clock: Clock;
  readonly isStopped: () => boolean;
  readonly tell: (records: number) => void;
}

/** In the place of a unit's name. */
const UNIT = 'import';
const NEAR_CAPTURES = 64;
const PROFILE_NOT_MODIFIED = /server-not-modified\/?$/;

type MutableCounts = {
  -readonly [K in keyof ImportCounts]: ImportCounts[K] extends number ? number : Record<string, number>;
};

/** Null where it was stopped. */
export async function importWarcFiles(files: readonly string[], setup: ImportSetup): Promise<ImportCounts | null> {
  const importer = new Importer(setup);
  try {
    return await importer.run(files);
  } finally {
    await importer.close();
  }
}

class Importer {
  readonly #setup: ImportSetup;
  readonly #writer: ArchiveWriter;
  readonly #counts: MutableCounts = {
    files: 0,
    badFiles: 0,
    answers: 0,
    known: 0,
    otherTypes: {},
    leftOut: {},
    wrongDigests: 0,
    guessedDates: 0,
    wrongLengths: 0,
    damaged: 0,
  };
  readonly #rules: { normalizer: ReturnType<typeof normalizerFor>; maxUrlLength: number; nowMs: number };
  #records = 0;

  constructor(setup: ImportSetup) {
    this.#setup = setup;
    const { archiveDir, options, about, clock } = setup;
    this.#rules = { normalizer: normalizerFor(options), maxUrlLength: options.maxUrlLength, nowMs: clock.now() };
    this.#writer = new ArchiveWriter({
      dir: archiveDir,
      unit: UNIT,
      maxFileBytes: options.archiveFile,
      software: `Orbweaver/${VERSION}`,
      userAgent: '',
      about,
      clock,
    });
  }

  async run(files: readonly string[]): Promise<ImportCounts | null> {
    // Some of what an import that was killed had named may never have been written.
    this.#setup.index.forgetOrigins();
    const again: string[] = [];
    for (const path of files) {
      if (this.#setup.isStopped()) return null;
      const unresolved = await this.#readFile(path, false);
      if (unresolved > 0) again.push(path);
    }
    // A revisit may stand before the answer it refers to, or in another file.
    for (const path of again) {
      if (this.#setup.isStopped()) return null;
      await this.#readFile(path, true);
    }
    return this.#setup.isStopped() ? null : this.#counts;
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  /** Returns how many revisits refer to what is not there yet. */
  async #readFile(path: string, isSecondTime: boolean): Promise<number> {
    const reader = new FileReader(path, this.#rules, isSecondTime ? SILENT : this.#counts);
    let unresolved = 0;
    try {
      for await (const piece of plainPieces(path)) {
        if (this.#setup.isStopped()) return 0;
        for (const each of reader.take(piece)) {
          this.#setup.tell(++this.#records);
          if (each.answer.kind === 'revisit') unresolved += (await this.#addRevisit(each, isSecondTime)) ? 0 : 1;
          else if (!isSecondTime) await this.#add(each, each.answer.exchange);
        }
        this.#writer.flush();
      }
      for (const each of reader.end()) {
        if (each.answer.kind === 'revisit') unresolved += (await this.#addRevisit(each, isSecondTime)) ? 0 : 1;
        else if (!isSecondTime) await this.#add(each, each.answer.exchange);
      }
    } catch (error) {
      if (!(error instanceof OrbweaverError) || error.code !== 'ERR_ARCHIVE') throw error;
      this.#warnOf(path, error.message);
      return 0;
    }
    if (isSecondTime) return 0;
    this.#counts.files++;
    if (reader.records === 0) this.#warnOf(path, `${path} holds no WARC record`);
    return unresolved;
  }

  #warnOf(path: string, message: string): void {
    this.#counts.badFiles++;
    publish('crawl/warning', { message: message.includes(path) ? message : `${path}: ${message}` });
  }

  async #add({ record, from }: FromFile, exchange: HttpExchange): Promise<void> {
    const { index } = this.#setup;
    const digest = DIGEST_PREFIX + sha1Base32(exchange.body);
    const known = await this.#known(exchange.url, exchange.fetchedAtMs, digest);
    if (known !== null) {
      index.addOrigins(namesOf(record), known);
      this.#counts.known++;
      return;
    }
    const id = record.headers.get('warc-record-id') ?? '';
    const said = record.headers.get('warc-payload-digest') ?? '';
    const metadata = {
      'imported-from': basename(from),
      ...(id === '' ? {} : { 'original-record-id': id }),
      ...(said === '' || said === digest ? {} : { 'original-payload-digest': said }),
    };
    const place = this.#writer.append({ ...exchange, metadata });
    index.addOrigins([...namesOf(record), seenName(exchange, digest)], place);
    this.#counts.answers++;
  }

  /** False where what it refers to may come yet. */
  async #addRevisit(each: FromFile, isSecondTime: boolean): Promise<boolean> {
    const { record, answer } = each;
    const { exchange } = answer;
    if (PROFILE_NOT_MODIFIED.test(record.headers.get('warc-profile') ?? '') || exchange.status === 304) {
      if (!isSecondTime) await this.#add(each, { ...exchange, status: 304, body: [] });
      return true;
    }
    const first = await this.#payloadOf(record);
    if (first === null) {
      if (isSecondTime) count(this.#counts.leftOut, 'payload-not-found' satisfies LeftOut);
      return false;
    }
    const { status, statusText, rawHeaders } = exchange.status === 0 ? first : exchange;
    const { truncated: _truncated, ...whole } = exchange;
    await this.#add(each, { ...whole, truncated: null, status, statusText, rawHeaders, body: [first.body] });
    return true;
  }

  async #payloadOf(record: ForeignRecord): Promise<Capture | null> {
    const { index, store, archiveDir } = this.#setup;
    const { headers } = record;
    const find = async (digest: string) => index.payload(digest) ?? (await store.payloadPlace(digest));
    const names = referredTo(headers);
    let place = names.map((name) => index.origin(name)).find((found) => found !== null) ?? null;
    const digest = headers.get('warc-payload-digest') ?? '';
    place ??= digest === '' ? null : await find(digest);
    if (place === null) return null;
    this.#writer.flush();
    return readCapture(archiveDir, place, find).catch(() => null);
  }

  /** Where this answer is already; null where it is not. */
  async #known(url: string, timeMs: number, digest: string): Promise<CaptureAddress | null> {
    const { index, store } = this.#setup;
    const here = index.origin(seenName({ url, fetchedAtMs: timeMs }, digest)) ?? index.find(url, timeMs, digest);
    if (here !== null) return here;
    const near = await store.capturesOf(hostOf(url), urlKeyHex(url), timeMs + 1_000, NEAR_CAPTURES);
    return near.find((each) => each.payloadDigest === digest && isSameTime(each.fetchedAtMs, timeMs)) ?? null;
  }
}

/** An answer with the record and the file that it came from. */
interface FromFile {
  readonly record: ForeignRecord;
  readonly answer: ForeignAnswer;
  readonly from: string;
}

const SILENT: MutableCounts = {
  files: 0,
  badFiles: 0,
  answers: 0,
  known: 0,
  otherTypes: {},
  leftOut: {},
  wrongDigests: 0,
  guessedDates: 0,
  wrongLengths: 0,
  damaged: 0,
};

/** The answers of one file, each with its request, which stands before it or behind it. */
class FileReader {
  records = 0;
  readonly #path: string;
  readonly #counts: MutableCounts;
  readonly #rules: Omit<Parameters<typeof readAnswer>[1], 'fallbackMs'>;
  readonly #parser: RecordParser;
  #read: FromFile[] = [];
  #answer: FromFile | null = null;
  #request: ForeignRecord | null = null;
  /** Of the last record with a date; before that, of the file itself. */
  #lastMs: number;

  constructor(path: string, rules: Omit<Parameters<typeof readAnswer>[1], 'fallbackMs'>, counts: MutableCounts) {
    this.#path = path;
    this.#counts = counts;
    this.#rules = rules;
    this.#lastMs = Math.floor(statSync(path).mtimeMs);
    this.#parser = new RecordParser({
      onRecord: (record) => this.#take(record),
      onDamage: () => {
        counts.damaged++;
      },
      onTooLarge: () => count(counts.leftOut, 'too-large' satisfies LeftOut),
    });
  }

  take(
    piece: { readonly kind: 'bytes'; readonly bytes: Buffer } | { readonly kind: 'member-end' | 'damage' },
  ): FromFile[] {
    if (piece.kind === 'bytes') this.#parser.feed(piece.bytes);
    else if (piece.kind === 'damage') this.#parser.skip();
    else this.#parser.endMember();
    return this.#read.splice(0);
  }

  end(): FromFile[] {
    this.#parser.end();
    this.#finish();
    return this.#read.splice(0);
  }

  #take(record: ForeignRecord): void {
    this.records++;
    if (record.type === 'request') this.#pair(record);
    else if (record.type === 'response' || record.type === 'resource' || record.type === 'revisit') this.#begin(record);
    else count(this.#counts.otherTypes, /^[a-z]{1,20}$/.test(record.type) ? record.type : 'unknown');
  }

  #begin(record: ForeignRecord): void {
    this.#finish();
    const answer = readAnswer(record, { ...this.#rules, fallbackMs: this.#lastMs });
    if (typeof answer === 'string') {
      count(this.#counts.leftOut, answer);
      return;
    }
    if (record.isLengthWrong) this.#counts.wrongLengths++;
    if (answer.isDigestWrong) this.#counts.wrongDigests++;
    if (answer.isDateGuessed) this.#counts.guessedDates++;
    else this.#lastMs = answer.exchange.fetchedAtMs;
    this.#answer = { record, answer, from: this.#path };
    const before = this.#request;
    this.#request = null;
    if (before !== null && belongTogether(before, record)) this.#attach(before);
  }

  #pair(request: ForeignRecord): void {
    if (this.#answer !== null && belongTogether(request, this.#answer.record)) this.#attach(request);
    else this.#request = request;
  }

  #attach(request: ForeignRecord): void {
    const { answer, ...rest } = this.#answer!;
    if (answer.exchange.requestHead !== '') return;
    this.#answer = {
      ...rest,
      answer: { ...answer, exchange: { ...answer.exchange, requestHead: requestHeadOf(request) } },
    };
  }

  #finish(): void {
    if (this.#answer !== null) this.#read.push(this.#answer);
    this.#answer = null;
  }
}

/** By the id that one of them names, or by the URL where neither names one. */
function belongTogether(request: ForeignRecord, answer: ForeignRecord): boolean {
  const [ofRequest, ofAnswer] = [request.headers, answer.headers];
  const named = [ofRequest.get('warc-concurrent-to'), ofAnswer.get('warc-concurrent-to')];
  if (named[0] !== undefined) return named[0] === ofAnswer.get('warc-record-id');
  if (named[1] !== undefined) return named[1] === ofRequest.get('warc-record-id');
  return ofRequest.get('warc-target-uri') === ofAnswer.get('warc-target-uri');
}

/** The names by which a revisit may refer to a record. */
function namesOf({ headers }: ForeignRecord): string[] {
  const names = [`id ${headers.get('warc-record-id') ?? ''}`];
  const [uri, date, digest] = ['warc-target-uri', 'warc-date', 'warc-payload-digest'].map((name) => headers.get(name));
  if (uri && date) names.push(`at ${bare(uri)} ${Date.parse(date)}`);
  if (digest) names.push(`payload ${digest.toLowerCase()}`);
  return names;
}

function referredTo(headers: ReadonlyMap<string, string>): string[] {
  const names: string[] = [];
  const [id, uri, date, digest] = [
    'warc-refers-to',
    'warc-refers-to-target-uri',
    'warc-refers-to-date',
    'warc-payload-digest',
  ].map((name) => headers.get(name));
  if (id) names.push(`id ${id}`);
  if (uri && date) names.push(`at ${bare(uri)} ${Date.parse(date)}`);
  if (digest) names.push(`payload ${digest.toLowerCase()}`);
  return names;
}

function bare(uri: string): string {
  return uri.replace(/^<|>$/g, '');
}

function seenName({ url, fetchedAtMs }: Pick<HttpExchange, 'url' | 'fetchedAtMs'>, digest: string): string {
  return `seen ${urlKeyHex(url)} ${Math.floor(fetchedAtMs / 1_000)} ${digest}`;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
