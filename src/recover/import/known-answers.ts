/**
 * Finds responses that the copy already has, so that an import adds nothing twice. In: URL, time and payload of a
 * response. Out: its place in the archive, or null.
 *
 * Many tools write dates of whole seconds. Such a date stands for every time in its second. A date with a fraction
 * stands for one instant, even if the fraction is zero: two visits of one second are two responses.
 */
import type { HttpExchange } from '../../archive/exchange-records.ts';
import { type CaptureAddress, readDate } from '../../archive/warc-reader.ts';
import type { Store } from '../../store/contract.ts';
import { hostOf } from '../../url/host.ts';
import { urlKeyHex } from '../../url/key.ts';
import type { RecordIndex } from '../record-index.ts';

/** The part of a response that tells it from other responses. */
export type Seen = Pick<HttpExchange, 'url' | 'fetchedAtMs' | 'isWholeSecond'>;

const NEAR_CAPTURES = 64;

export class KnownAnswers {
  readonly #archiveDir: string;
  readonly #index: RecordIndex;
  readonly #store: Pick<Store, 'capturesOf'>;

  constructor(archiveDir: string, index: RecordIndex, store: Pick<Store, 'capturesOf'>) {
    this.#archiveDir = archiveDir;
    this.#index = index;
    this.#store = store;
  }

  async find(seen: Seen, digest: string): Promise<CaptureAddress | null> {
    const { url, fetchedAtMs, isWholeSecond = false } = seen;
    const { exact, inSecond, atWholeSecond } = namesOf(seen, digest);
    const ofThisImport = this.#index.origin(exact) ?? this.#index.origin(isWholeSecond ? inSecond : atWholeSecond);
    if (ofThisImport !== null) return ofThisImport;
    const captures = await this.#store.capturesOf(hostOf(url), urlKeyHex(url), fetchedAtMs + 1_000, NEAR_CAPTURES);
    const known = [
      ...this.#index.withPayload(url, digest),
      ...captures
        .filter(({ payloadDigest }) => payloadDigest === digest)
        .map((capture) => ({ ...capture, timeMs: capture.fetchedAtMs })),
    ];
    const same = known.find(({ timeMs }) => timeMs === fetchedAtMs);
    if (same !== undefined) return same;
    for (const near of known.filter(({ timeMs }) => secondOf(timeMs) === secondOf(fetchedAtMs))) {
      if (isWholeSecond || (near.timeMs % 1_000 === 0 && (await this.#isOfWholeSecond(near)))) return near;
    }
    return null;
  }

  /** Remembers a response that this import has written. */
  add(seen: Seen, digest: string, place: CaptureAddress): void {
    const { exact, inSecond, atWholeSecond } = namesOf(seen, digest);
    this.#index.addOrigins(seen.isWholeSecond ? [exact, inSecond, atWholeSecond] : [exact, inSecond], place);
  }

  /** A record that cannot be read has no date. */
  async #isOfWholeSecond(place: CaptureAddress): Promise<boolean> {
    const date = await readDate(this.#archiveDir, place).catch(() => null);
    return date !== null && isWholeSecondDate(date);
  }
}

/** Whether a date has no fraction of a second (WARC 1.1 §5.4 leaves the choice to the writer). */
export function isWholeSecondDate(date: string): boolean {
  return !date.includes('.');
}

function namesOf({ url, fetchedAtMs }: Seen, digest: string): Record<'exact' | 'inSecond' | 'atWholeSecond', string> {
  const [key, second] = [urlKeyHex(url), secondOf(fetchedAtMs)];
  return {
    exact: `seen ${key} ${fetchedAtMs} ${digest}`,
    inSecond: `in second ${key} ${second} ${digest}`,
    atWholeSecond: `at second ${key} ${second} ${digest}`,
  };
}

function secondOf(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}
