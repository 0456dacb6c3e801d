/** The changes of a page as plain data: the output of `orbweaver diff --json`. */
import { type DiffHunk, hunksOf, piecesOf } from '../change/diff/hunks.ts';
import type { DiffPiece } from '../change/diff/piece.ts';
import type { ImageChange } from '../change/image/compare-pictures.ts';
import type { PageDiff } from '../copy/read-diff.ts';
import type { VersionFacts } from '../copy/read-version.ts';
import type { VersionText } from '../page/readable-version.ts';

/** One stored version of a page. */
export interface PageVersion extends Omit<VersionFacts, 'fetchedAtMs'> {
  readonly fetchedAt: Date;
}

export interface PageChanges {
  readonly url: string;
  /** The compared text: the readable text or the source. */
  readonly of: VersionText;
  /** Null if the copy has no earlier version that differs. */
  readonly from: PageVersion | null;
  readonly to: PageVersion;
  /** True if there were two texts to compare. If not, the counts are null. */
  readonly compared: boolean;
  /** Words of the title and the text, or of the source. */
  readonly wordsAdded: number | null;
  readonly wordsRemoved: number | null;
  /** A line in which a word changed counts as one removed and one added line. */
  readonly linesAdded: number | null;
  readonly linesRemoved: number | null;
  readonly hunks: readonly PageHunk[];
  /** For an image with two versions: how they look. */
  readonly image: ImageChange | null;
}

/**
 * A change with the lines around it. The lines `oldLine` to `oldLine + oldLines - 1` of the old text are its same and
 * removed pieces, joined. In the new text, its same and added pieces replace them.
 */
export interface PageHunk extends Omit<DiffHunk, 'regions'> {
  readonly pieces: readonly DiffPiece[];
}

/** The fields and their order are a stable interface. */
export function toPageChanges({ url, of, from, to, diff, words, image }: PageDiff, contextLines: number): PageChanges {
  return {
    url,
    of,
    from: from === null ? null : toPageVersion(from),
    to: toPageVersion(to),
    compared: diff !== null,
    wordsAdded: words?.wordsAdded ?? null,
    wordsRemoved: words?.wordsRemoved ?? null,
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
