/** Values as people read them on a terminal. */

import { groupedDigits as count } from '../core/grouped-digits.ts';

export { safeText } from '../core/safe-text.ts';
export { count };

/** `2025-11-15 09:46:40 UTC`. */
export function timeText(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function isoOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

/** 0.876 → `87 %`; only what is whole is 100 %. */
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

/** `2 days`, `1.5 hours`, `40 seconds`: in the largest unit of which there is one. */
export function spanText(ms: number): string {
  const [unit, unitMs] = UNITS_MS.find(([, size]) => ms >= size) ?? ['second', 1_000];
  const number = ms / unitMs;
  const rounded = number < 10 ? Number(number.toFixed(1)) : Math.round(number);
  return `${rounded < 10 ? rounded : count(rounded)} ${unit}${rounded === 1 ? '' : 's'}`;
}

/** Text from the web, for a terminal, like `safeText` but of several lines: breaks and tabs stay. One character for one, so that columns stay too. */
export function safeLines(text: string): string {
  return text.replace(/[\p{Cf}\p{Zl}\p{Zp}]|(?![\n\t])\p{Cc}/gu, ' ');
}

/** JSON escapes the controls of ASCII by itself, but some terminals obey those above it too. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\x7f-\x9f]/g, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

/**
 * A page's bytes for a terminal, in whatever charset: without escape sequences, and without returns that write over a line.
 * The controls past ASCII are told only in UTF-8; in other charsets their bytes are letters.
 */
export function safeBytes(bytes: Buffer): Buffer {
  const safe = bytes.toString('latin1').replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|\xc2[\x80-\x9f]/g, ' ');
  return Buffer.from(safe, 'latin1');
}

/** Rows under each other; numbers to the right, the last column as it is. */
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
