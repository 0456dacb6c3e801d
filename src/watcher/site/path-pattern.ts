/**
 * The patterns of --include and --exclude of a watcher, matched against a path below its root. `*` is any run of characters
 * within a segment, `**` any number of segments. A pattern without a slash holds at any depth, and one that matches a folder
 * holds for all in it, as people know it from .gitignore. Between slashes it is a regular expression for the whole path, unless more than flags follow.
 *
 * Always: a glob takes at most the product of the segments of both; what a regular expression takes is its author's business, on paths of at
 * most 4,096 characters.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { withoutLast } from '../../core/trim-character.ts';
import { compilePattern } from '../../url/pattern.ts';

export interface PathPattern {
  matchesFile(path: string): boolean;
  /** Whether everything below a folder is matched, so that nobody needs to look. */
  matchesFolder(path: string): boolean;
}

type SegmentMatch = (segment: string) => boolean;
const ANY_SEGMENTS = '**';
/** With its flags, if any: `/private/notes.html` is a path from the root on. */
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
  // `drafts/**` is all of drafts, and so is `drafts`.
  while (parts.length > 1 && parts.at(-1) === ANY_SEGMENTS) parts.pop();
  const blocks = blocksOf(parts);
  const matches = (path: string) => matchesStart(blocks, path.split('/'));
  return { matchesFile: matches, matchesFolder: matches };
}

/** The segments between `**` and `**`, which stand side by side in a path. */
function blocksOf(parts: readonly string[]): SegmentMatch[][] {
  const blocks: SegmentMatch[][] = [[]];
  for (const part of parts) {
    if (part === ANY_SEGMENTS) blocks.push([]);
    else blocks.at(-1)!.push(compilePattern(part));
  }
  return blocks;
}

/** Whether the pattern matches the path or one of the folders around it. The first place of a block is always right, as only `**` is before it. */
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
