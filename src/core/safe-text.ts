/**
 * Text from the web, made safe for terminals, logs and readers of lines. One class of characters decides everywhere:
 * controls (C0,
 * DEL and C1, U+0085 among them), format characters (bidirectional controls, zero-width and tag characters), the line
 * and paragraph
 * separators U+2028 and U+2029, and halves of surrogate pairs.
 */
const UNSAFE = '\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}';
const UNSAFE_RUNS = new RegExp(`[${UNSAFE}]+`, 'gu');
const UNSAFE_IN_LINES = new RegExp(`(?!\\n|\\t|\\r\\n)[${UNSAFE}]`, 'gu');

/** On one line: without characters that move the cursor, change colours, end a line or reverse it. */
export function safeText(text: string): string {
  return text.replace(UNSAFE_RUNS, ' ').trim();
}

/**
 * On several lines: line breaks (LF and CR LF) and tabs stay. One character is replaced by one, so that columns stay
 * too.
 */
export function safeLines(text: string): string {
  return text.replace(UNSAFE_IN_LINES, ' ');
}

/**
 * JSON on one line, for every reader of lines and every terminal. The value is the same: what is unsafe is written as
 * an escape
 * sequence. `JSON.stringify` alone escapes only the controls of ASCII.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE_RUNS, escaped);
}

function escaped(text: string): string {
  let sequence = '';
  for (let at = 0; at < text.length; at++) sequence += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return sequence;
}
