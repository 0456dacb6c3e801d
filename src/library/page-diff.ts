/** What changed on a page, as plain data: what `orbweaver diff --json` prints. */
import { hunksOf, piecesOf } from '../change/diff/hunks.ts';
import type { DiffPiece } from '../change/diff/piece.ts';
import type { ImageChange } from '../change/image/compare-pictures.ts';
import type { PageDiff } from '../crawl/read-diff.ts';
import type { VersionFacts, VersionText } from '../crawl/read-version.ts';

/** One stored content of a page. */
export interface PageVersion {
  readonly fetchedAt: Date;
  readonly status: number;
  /** The media type, without parameters. */
  readonly contentType: string;
  /** Of the decoded body. */
  readonly bytes: number;
  /** `sha256:` and the hexadecimal digits of the decoded body's hash. */
  readonly digest: string;
  readonly title: string;
}

export interface PageChanges {
  readonly url: string;
  /** What was compared: the readable text, or the source. */
  readonly of: VersionText;
  /** Null where the copy has no other content from before. */
  readonly from: PageVersion | null;
  readonly to: PageVersion;
  /** Whether there were two texts to compare; if not, the counts are null. */
  readonly compared: boolean;
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** A line of which a word changed is one removed and one added. */
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
  readonly hunks: readonly PageHunk[];
  /** Of an image with two contents: how they look. */
  readonly image: ImageChange | null;
}

/**
 * A change with the lines around it. The lines `oldLine` to `oldLine + oldLines - 1` of the old text are its same and removed
 * pieces put together; in the new text its same and added pieces stand in their place.
 */
export interface PageHunk {
  readonly oldLine: number;
  readonly oldLines: number;
  readonly newLine: number;
  readonly newLines: number;
  readonly pieces: readonly DiffPiece[];
}

/** The fields and their order are a contract. */
export function toPageChanges({ url, of, from, to, diff, image }: PageDiff, contextLines: number): PageChanges {
  return {
    url,
    of,
    from: from === null ? null : toPageVersion(from),
    to: toPageVersion(to),
    compared: diff !== null,
    wordsAdded: diff?.wordsAdded ?? null,
    wordsRemoved: diff?.wordsRemoved ?? null,
    linesAdded: diff?.linesAdded ?? null,
    linesRemoved: diff?.linesRemoved ?? null,
    hunks:
      diff === null
        ? []
        : hunksOf(diff, contextLines).map(({ regions, ...place }) => ({
            ...place,
            pieces: piecesOf({ ...place, regions }),
          })),
    image,
  };
}

function toPageVersion({ fetchedAtMs, status, contentType, bytes, digest, title }: VersionFacts): PageVersion {
  return { fetchedAt: new Date(fetchedAtMs), status, contentType, bytes, digest, title };
}
