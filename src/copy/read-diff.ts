/**
 * Finds what changed on a page. In: a URL in its normal form and, optionally, two times. Out: two contents of the page
 * and the difference of their texts; null if the copy has no content from the requested time.
 *
 * Only contents count: errors and redirects in between are ignored. Without times, the last two different contents are
 * compared. With `toMs` alone, that content is compared with the last different one before it. With `fromMs` alone,
 * that content is compared with the newest one.
 */
import { type ChangedWords, countChangedWords } from '../change/diff/changed-words.ts';
import { diffTexts, type TextDiff } from '../change/diff/diff.ts';
import { comparePictures, type ImageChange } from '../change/image/compare-pictures.ts';
import type { Where } from '../crawl/place/crawl-place.ts';
import { keptOptions } from '../crawl/place/data-folder.ts';
import { isContent, LATEST_MS, type PlaceStore } from '../crawl/place/read-archived.ts';
import type { VersionText } from '../page/readable-version.ts';
import type { CaptureRecord, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import { readVersion, type Version, type VersionFacts } from './read-version.ts';

export interface DiffWanted {
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly of: VersionText;
}

export interface PageDiff {
  readonly url: string;
  readonly of: VersionText;
  /** Null if there is no different content before. */
  readonly from: VersionFacts | null;
  readonly to: VersionFacts;
  /** Null if there is nothing to compare: only one content, or contents without text. */
  readonly diff: TextDiff | null;
  /** The changed words of the title and the text, or of the source; null if there is no `diff`. */
  readonly words: ChangedWords | null;
  /** Only for an image with two contents: the comparison of what they look like (P12). */
  readonly image: ImageChange | null;
}

export async function readDiff(
  store: PlaceStore & Pick<Store, 'note'>,
  where: Where,
  url: string,
  { fromMs, toMs, of }: DiffWanted,
): Promise<PageDiff | null> {
  const contents = await contentsOf(store, url, toMs ?? LATEST_MS);
  const sizes = await keptOptions(store);
  const [newest] = contents;
  if (newest === undefined) return null;
  const read = (record: CaptureRecord) => readVersion({ store, where, url, sizes }, record, of);
  const to = await read(newest);
  if (fromMs === null) return toDiff(url, of, ...(await aroundChange(contents, to, read)));
  const from = contents.find(({ fetchedAtMs }) => fetchedAtMs <= fromMs);
  return from === undefined ? null : toDiff(url, of, await read(from), to);
}

/** Returns the captures of a URL that are contents, newest first. */
export async function contentsOf(
  store: Pick<Store, 'capturesOf'>,
  url: string,
  upToMs: number,
): Promise<readonly CaptureRecord[]> {
  return (await store.capturesOf(hostOf(url), urlKeyHex(url), upToMs, LATEST_MS)).filter(isContent);
}

/**
 * Returns the last different content, and the current content as of the first visit that found it.
 * The change happened between the two.
 */
async function aroundChange(
  [newest, ...earlier]: readonly CaptureRecord[],
  content: Version,
  read: (record: CaptureRecord) => Promise<Version>,
): Promise<[Version | null, Version]> {
  let to = content;
  for (const record of earlier) {
    // Captures with the same stored bytes need not be read: a page may have been visited a thousand times.
    const isRepeated = record.payloadDigest === newest!.payloadDigest;
    const version = isRepeated ? { ...to, fetchedAtMs: record.fetchedAtMs, status: record.status } : await read(record);
    if (version.digest !== to.digest) return [version, to];
    to = version;
  }
  return [null, to];
}

function toDiff(url: string, of: VersionText, from: Version | null, to: Version): PageDiff {
  const diff = from === null || from.text === null || to.text === null ? null : diffTexts(from.text, to.text);
  // The source contains the title.
  const words = of === 'source' ? diff : diff && countChangedWords(from!, to, diff);
  const image = from && comparePictures(from.picture, to.picture);
  return { url, of, from: from && factsOf(from), to: factsOf(to), diff, words, image };
}

function factsOf({ text: _text, picture: _picture, ...facts }: Version): VersionFacts {
  return facts;
}
