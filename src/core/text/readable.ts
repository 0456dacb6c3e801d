/** Formats values for people on a terminal. */
import { isUtf8 } from 'node:buffer';
import { groupedDigits as count } from '../grouped-digits.ts';
import { REASONS, type Reason } from '../reasons.ts';
import { safeLines } from '../safe-text.ts';

export { safeJson, safeLines, safeText } from '../safe-text.ts';
export { count };

/** `1 page`, `2 pages`. */
export function plural(number: number, word: string): string {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`;
}

/** Null if the PageRank is not computed yet. Single precision has seven digits. */
export function rankOrNull(rank: number): number | null {
  return rank === 0 ? null : Number(rank.toPrecision(7));
}

/** `2025-11-15 09:46:40 UTC`. */
export function timeText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

/** 0.876 → `87 %`. The value is rounded down, so that only a full share is 100 %. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** 1,234,000 → `1.2 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const UNITS_MS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `2 days`, `1.5 hours`, `40 seconds`: in the largest unit that gives at least 1. */
export function spanText(ms: number): string {
  const [unit, unitMs] = UNITS_MS.find(([, size]) => ms >= size) ?? ['second', 1_000];
  const number = ms / unitMs;
  const rounded = number < 10 ? Number(number.toFixed(1)) : Math.round(number);
  return `${rounded < 10 ? rounded : count(rounded)} ${unit}${rounded === 1 ? '' : 's'}`;
}

/**
 * Makes the bytes of a page safe for a terminal. In UTF-8 every unsafe character is replaced, and so are
 * carriage returns that would overwrite a line. In another charset only the bytes are replaced that a
 * terminal could take for a control.
 */
export function safeBytes(bytes: Buffer): Buffer {
  if (isUtf8(bytes)) return Buffer.from(safeLines(bytes.toString()));
  const safe = bytes.toString('latin1').replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/g, ' ');
  return Buffer.from(safe, 'latin1');
}

/** Aligns rows in columns. Numbers are aligned to the right; the last column is not padded. */
export function columns(rows: readonly (readonly (string | number)[])[]): string[] {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? count(cell) : cell)));
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts.map((row) =>
    row
      .map((text, column) => {
        if (typeof rows.at(-1)?.[column] === 'number') return text.padStart(widths[column]!);
        return column === row.length - 1 ? text : text.padEnd(widths[column]!);
      })
      .join('  ')
      .trimEnd(),
  );
}

export function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** `the server says 404 [not-found]`. */
export function why(reason: Reason): string {
  return `${REASONS[reason] ?? 'this version does not know the reason'} [${reason}]`;
}

/** The result of `--guess` in a crawl. */
export function guessSentence({ asked, wrong }: { readonly asked: number; readonly wrong: number }): string {
  return `Guesses: ${count(asked)} URLs requested that only looked like URLs; ${count(asked - wrong)} led to a page.`;
}

/** Quotes a word so that the user can paste it into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
