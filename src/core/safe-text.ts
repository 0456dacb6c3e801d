/**
 * Makes text from the web safe for terminals, logs and programs that read lines. All functions use one class of unsafe
 * characters: controls (C0, DEL and C1, including U+0085), format characters (bidirectional controls, zero-width and
 * tag characters), the line and paragraph separators U+2028 and U+2029, and unpaired surrogates.
 */
const UNSAFE = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}';
const UNSAFE_RUNS = new RegExp(`[${UNSAFE}]+`, 'gu');
const UNSAFE_IN_LINES = new RegExp(`(?!\\n|\\t|\\r\\n)[${UNSAFE}]`, 'gu');

/** Text for one line, without characters that move the cursor, change colours, end the line or reverse it. */
export function safeText(text: string): string {
  return text.replace(UNSAFE_RUNS, ' ').trim();
}

/**
 * Text of several lines. Line breaks (LF and CR LF) and tabs stay. Each unsafe character becomes one
 * space, so columns stay aligned.
 */
export function safeLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, ' ');
}

/**
 * JSON on one line, safe for terminals and programs that read lines. The value stays the same, because unsafe
 * characters are written as escape sequences. `JSON.stringify` alone escapes only the ASCII controls.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE_RUNS, escaped);
}

function escaped(text: string): string {
  let sequence = '';
  for (let at = 0; at < text.length; at++) sequence += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return sequence;
}
