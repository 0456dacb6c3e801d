import { OrbweaverError } from '../core/errors.ts';

/**
 * The patterns of --include and --exclude, matched against the whole URL in normal form. `*` (or `**`) matches any run
 * of characters. Every other character matches itself, also `?`, because many URLs contain it. A pattern between
 * slashes is a regular expression: `/\.(pdf|zip)$/i`.
 */
export type UrlPattern = (url: string) => boolean;

const REGEX_FLAGS = /^[imsuv]*$/;
/** The greatest value that `--max-url-length` allows. */
const MAX_MATCHED_CHARS = 65_536;

/**
 * A regular expression of the user may backtrack for a long time, and pages choose the URLs. So it is not run on URLs
 * of more than `maxChars` characters and matches none of them.
 */
export function compilePattern(text: string, maxChars = MAX_MATCHED_CHARS): UrlPattern {
  const lastSlash = text.lastIndexOf('/');
  if (text.startsWith('/') && lastSlash > 0) {
    const matches = compileRegex(text, text.slice(1, lastSlash), text.slice(lastSlash + 1));
    return (url) => url.length <= maxChars && matches(url);
  }
  if (text === '') throw new OrbweaverError('ERR_BAD_OPTION', 'A URL pattern is empty; write * to match every URL.');
  return compileGlob(text);
}

function compileRegex(text: string, source: string, flags: string): UrlPattern {
  // With `g` or `y`, the answer would depend on the previous call.
  if (!REGEX_FLAGS.test(flags)) {
    throw new OrbweaverError('ERR_BAD_OPTION', `The pattern ${text} has flags other than i, m, s, u and v.`);
  }
  let regex: RegExp;
  try {
    regex = new RegExp(source, flags);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OrbweaverError('ERR_BAD_OPTION', `The pattern ${text} is not a valid regular expression: ${why}`, {
      cause,
    });
  }
  return (url) => regex.test(url);
}

/**
 * Looks for each piece between the stars after the piece before. For a piece with a star on both sides, the first
 * occurrence is always the right one. So nothing is tried twice, and no URL can make this slow.
 */
function compileGlob(text: string): UrlPattern {
  const pieces = text.split(/\*+/);
  if (pieces.length === 1) return (url) => url === text;
  const head = pieces[0]!;
  const tail = pieces.at(-1)!;
  const middle = pieces.slice(1, -1);

  return (url) => {
    if (!url.startsWith(head)) return false;
    let at = head.length;
    for (const piece of middle) {
      const found = url.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return url.length - tail.length >= at && url.endsWith(tail);
  };
}
