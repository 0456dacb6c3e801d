/**
 * The patterns of --include and --exclude of a watcher, matched against a path below its root. `*` matches any
 * characters within a segment, `**` any number of segments. A pattern without a slash matches at any depth, and a
 * pattern that matches a folder matches everything in it, as in .gitignore. Text between slashes is a regular
 * expression for the whole path, unless more than flags follow.
 *
 * What always holds: a glob takes at most the product of the segments of both; the author of a regular expression is
 * responsible for its cost, on paths of at most 4,096 characters.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { withoutLast } from '../../core/text/trim-character.ts';
import { compilePattern } from '../../url/pattern.ts';

export interface PathPattern {
  matchesFile(path: string): boolean;
  /** Whether everything below a folder matches, so that the folder can be skipped. */
  matchesFolder(path: string): boolean;
}

type SegmentMatch = (segment: string) => boolean;
const ANY_SEGMENTS = '**';
/** A regular expression with optional flags. `/private/notes.html` is a path from the root. */
const REGEX = /^\/.+\/[dgimsuvy]*$/s;

export function compilePathPattern(text: string): PathPattern {
  if (REGEX.test(text)) {
    return { matchesFile: compilePattern(text), matchesFolder: () => false };
  }
  const written = withoutLast(text, '/');
  const parts = (written.startsWith('/') ? written.slice(1) : written).split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    const why = 'write it as a path below the root, such as drafts/** or *.pdf';
    throw new OrbweaverError('ERR_BAD_OPTION', `The pattern ${JSON.stringify(text)} matches no path: ${why}.`);
  }
  if (parts.length === 1 && !written.startsWith('/')) parts.unshift(ANY_SEGMENTS);
  // `drafts/**` and `drafts` both match everything in drafts.
  while (parts.length > 1 && parts.at(-1) === ANY_SEGMENTS) parts.pop();
  const blocks = blocksOf(parts);
  const matches = (path: string) => matchesStart(blocks, path.split('/'));
  return { matchesFile: matches, matchesFolder: matches };
}

/** The segments between two `**`, which are adjacent in a path. */
function blocksOf(parts: readonly string[]): SegmentMatch[][] {
  const blocks: SegmentMatch[][] = [[]];
  for (const part of parts) {
    if (part === ANY_SEGMENTS) blocks.push([]);
    else blocks.at(-1)!.push(compilePattern(part));
  }
  return blocks;
}

/**
 * Whether the pattern matches the path or one of its parent folders. The first match of a block is always right,
 * because only `**` is before it.
 */
function matchesStart(blocks: readonly SegmentMatch[][], segments: readonly string[]): boolean {
  const first = blocks[0]!;
  if (!isAt(first, segments, 0)) return false;
  let at = first.length;
  for (const block of blocks.slice(1)) {
    while (at + block.length <= segments.length && !isAt(block, segments, at)) at++;
    at += block.length;
    if (at > segments.length) return false;
  }
  return true;
}

function isAt(block: readonly SegmentMatch[], segments: readonly string[], at: number): boolean {
  return at + block.length <= segments.length && block.every((matches, index) => matches(segments[at + index]!));
}
