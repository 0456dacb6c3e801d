/**
 * What changed on a page. In: a URL in its normal form and, if wanted, two times. Out: two contents of it and the difference of
 * their texts; null where the copy has no content from that time.
 *
 * Only contents count: an error or a redirect in between changes nothing. Without times they are the last two that differ;
 * `toMs` alone goes with the last one before that differs from it, `fromMs` alone with the newest.
 */
import { diffTexts, type TextDiff } from '../change/diff/diff.ts';
import { comparePictures, type ImageChange } from '../change/image/compare-pictures.ts';
import type { CaptureRecord, Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { urlKeyHex } from '../url/key.ts';
import type { Where } from './crawl-place.ts';
import { keptOptions } from './data-folder.ts';
import { LATEST_MS, type PlaceStore } from './read-copy.ts';
import { isContent, readVersion, type Version, type VersionFacts, type VersionText } from './read-version.ts';

export interface DiffWanted {
  readonly fromMs: number | null;
  readonly toMs: number | null;
  readonly of: VersionText;
}

export interface PageDiff {
  readonly url: string;
  readonly of: VersionText;
  /** Null where there is no other content before. */
  readonly from: VersionFacts | null;
  readonly to: VersionFacts;
  /** Null where there is nothing to compare: one content only, or no texts. */
  readonly diff: TextDiff | null;
  /** Of an image with two contents: how they look (P12). */
  readonly image: ImageChange | null;
}

export async function readDiff(
  store: PlaceStore & Pick<Store, 'note'>,
  where: Where,
  url: string,
  { fromMs, toMs, of }: DiffWanted,
): Promise<PageDiff | null> {
  const contents = await contentsOf(store, url, toMs ?? LATEST_MS);
  const { maxBody } = await keptOptions(store);
  const [newest] = contents;
  if (newest === undefined) return null;
  const read = (record: CaptureRecord) => readVersion(where, url, record, maxBody, of, store);
  const to = await read(newest);
  if (fromMs === null) return toDiff(url, of, ...(await aroundChange(contents, to, read)));
  const from = contents.find(({ fetchedAtMs }) => fetchedAtMs <= fromMs);
  return from === undefined ? null : toDiff(url, of, await read(from), to);
}

/** The captures of a URL that are contents, newest first. */
export async function contentsOf(
  store: Pick<Store, 'capturesOf'>,
  url: string,
  upToMs: number,
): Promise<readonly CaptureRecord[]> {
  return (await store.capturesOf(hostOf(url), urlKeyHex(url), upToMs, LATEST_MS)).filter(isContent);
}

/** The last content before that is another one, and the content itself as of the first look that found it: the change lies between. */
async function aroundChange(
  [newest, ...earlier]: readonly CaptureRecord[],
  content: Version,
  read: (record: CaptureRecord) => Promise<Version>,
): Promise<[Version | null, Version]> {
  let to = content;
  for (const record of earlier) {
    // The same bytes as stored need not be read: a page may have been looked at a thousand times.
    const isRepeated = record.payloadDigest === newest!.payloadDigest;
    const version = isRepeated ? { ...to, fetchedAtMs: record.fetchedAtMs, status: record.status } : await read(record);
    if (version.digest !== to.digest) return [version, to];
    to = version;
  }
  return [null, to];
}

function toDiff(url: string, of: VersionText, from: Version | null, to: Version): PageDiff {
  const diff = from === null || from.text === null || to.text === null ? null : diffTexts(from.text, to.text);
  const image = from && comparePictures(from.picture, to.picture);
  return { url, of, from: from && factsOf(from), to: factsOf(to), diff, image };
}

function factsOf({ text: _text, picture: _picture, ...facts }: Version): VersionFacts {
  return facts;
}
