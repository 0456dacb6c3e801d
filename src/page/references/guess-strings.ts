/**
 * Finds texts that look like URLs, in scripts, comments, text and JSON: absolute URLs anywhere, and paths in quotes.
 * One pass over the text without a grammar, so it reads broken scripts and markup inside strings alike.
 */

const MAX_CHARS = 2_000;
/** Endings of file names that make a quoted name without a leading slash or dot a guess. */
const EXTENSIONS: ReadonlySet<string> = new Set(
  (
    'html htm xhtml shtml php php3 php5 phtml asp aspx jsp jspx jsf do action cgi pl py rb cfm ' +
    'js mjs cjs css json jsonld xml xsl xslt rss atom rdf txt md csv map wasm webmanifest appcache vtt srt ' +
    'png jpg jpeg gif webp avif svg ico bmp tif tiff apng jxl swf ' +
    'mp4 m4v webm ogv mov avi mp3 m4a ogg oga opus wav flac mpd m3u8 ts ' +
    'woff woff2 ttf otf eot pdf doc docx xls xlsx ppt pptx odt ods epub zip gz tgz 7z rar jar class'
  ).split(' '),
);

export function guessUrls(text: string, found: (url: string) => void): void {
  guessAbsolute(text, found);
  guessQuoted(text, found);
}

/** `http://…` and `https://…` up to a character that cannot be in a URL, without the punctuation of a sentence. */
export function guessAbsolute(text: string, found: (url: string) => void): void {
  for (let at = text.indexOf('://'); at >= 0; ) {
    const before = text.slice(Math.max(0, at - 5), at).toLowerCase();
    const start = at - (before === 'https' ? 5 : before.endsWith('http') ? 4 : 0);
    let end = at + 3;
    while (end < text.length && isUrlCode(text.charCodeAt(end))) end++;
    // Quoted URLs are found by guessQuoted.
    const isQuoted = isQuote(text.charCodeAt(start - 1)) && text[start - 1] === text[end];
    if (start < at && !isQuoted && end - start <= MAX_CHARS) {
      const url = withoutPunctuation(text.slice(start, end));
      if (/^https?:\/\/[^/?#]/i.test(url)) found(url);
    }
    at = text.indexOf('://', end);
  }
}

/**
 * A candidate begins after a quote and ends at the first character that cannot be in a URL. It counts if that is the
 * same quote. The search continues there, so each character is read once.
 */
function guessQuoted(text: string, found: (url: string) => void): void {
  const length = text.length;
  let at = 0;
  while (at < length) {
    const quote = text.charCodeAt(at++);
    if (!isQuote(quote)) continue;
    const start = at;
    while (at < length && (isUrlCode(text.charCodeAt(at)) || isUrlEscape(text, at))) at++;
    if (at === start || at - start > MAX_CHARS) continue;
    // In a string inside a string, the quotes have backslashes.
    const end = text.charCodeAt(at) === BACKSLASH ? at + 1 : at;
    if (text.charCodeAt(end) !== quote) continue;
    const url = unescaped(text.slice(start, at));
    if (looksLikeUrl(url)) found(url);
  }
}

export function looksLikeUrl(text: string): boolean {
  const first = text.charCodeAt(0);
  if (first === SLASH) return /^\/(?:\/[\w-]+(?:\.[\w-]+)+(?:[/?#:]|$)|[\w~%@.-]*[\w~%])/.test(text);
  if (first === DOT) return /^\.{1,2}\/[\w~%@.?/-]*\w/.test(text);
  if (/^https?:\/\/[^/?#]/i.test(text)) return true;
  return isNamedFile(text);
}

/** `img/photo.jpg`, `page.php?id=3`: plain path segments, and a known file extension. */
function isNamedFile(text: string): boolean {
  const cut = text.search(/[?#]/);
  const path = cut < 0 ? text : text.slice(0, cut);
  const dot = path.lastIndexOf('.');
  if (dot <= 0 || dot === path.length - 1 || dot < path.lastIndexOf('/')) return false;
  return EXTENSIONS.has(path.slice(dot + 1).toLowerCase()) && /^[\w~%@+,/.-]+$/.test(path) && !path.startsWith('.');
}

/** Scripts and JSON write `\/`, `\u0026` and `\x3d`. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(\/))/gi, (_, wide, short, slash) =>
    slash ? '/' : String.fromCharCode(Number.parseInt(wide ?? short, 16)),
  );
}

function isUrlEscape(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== BACKSLASH) return false;
  const next = text.charCodeAt(at + 1);
  return next === SLASH || ((next === 117 || next === 120) && isHex(text.charCodeAt(at + 2)));
}

/** A closing bracket belongs to the URL only if the URL opens it. */
function withoutPunctuation(url: string): string {
  const dropped = url.includes('(') ? '.,;:!?]*_' : '.,;:!?)]*_';
  let end = url.length;
  while (end > 0 && dropped.includes(url[end - 1]!)) end--;
  return url.slice(0, end);
}

/** Visible ASCII except quotes, `<>{}|\^`, and every character outside ASCII. */
function isUrlCode(code: number): boolean {
  if (code >= 128) return code > 0xa0 && (code < 0x2000 || code > 0x206f) && code !== 0x3000;
  return URL_CODES[code] === 1;
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

function isHex(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 48 && code <= 57) || (lower >= 97 && lower <= 102);
}

const SLASH = 47;
const DOT = 46;
const BACKSLASH = 92;
const URL_CODES = new Uint8Array(128).fill(1, 33, 127);
for (const mark of '"\'`<>{}|\\^') URL_CODES[mark.charCodeAt(0)] = 0;
