import { OrbweaverError } from '../core/errors.ts';

/**
 * The patterns of --include and --exclude, matched against the whole URL in normal form. `*` (or `**`) is any run of
 * characters, all else stands for itself, `?` too, since URLs are full of them. Between slashes it is a regular
 * expression: `/\.(pdf|zip)$/i`.
 */
export type UrlPattern = (url: string) => boolean;

const REGEX_FLAGS = /^[imsuv]*$/;
/** The longest that `--max-url-length` allows. */
const MAX_MATCHED_CHARS = 65_536;

/**
 * A regular expression of the user may backtrack, and pages choose the URLs: it is not run on URLs of more than
 * `maxChars` characters,
 * and matches none of them.
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
  // `g` and `y` would make the answer depend on the question before.
  if (!REGEX_FLAGS.test(flags)) {
    throw new OrbweaverError('ERR_BAD_OPTION', `The pattern ${text} has flags other than i, m, s, u and v.`);
  }
  let regex: RegExp;
  try {
    regex = new RegExp(source, flags);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OrbweaverError('ERR_BAD_OPTION', `The pattern ${text} is no regular expression: ${why}`, { cause });
  }
  return (url) => regex.test(url);
}

/**
 * The pieces between the stars, each looked for behind the one before. The first place found is always right for a
 * piece with a star on both sides, so nothing is ever tried twice and no URL can make it slow.
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
