/**
 * Guesses the encoding of a page that declares none.
 *
 * In: the bytes of the page. Out: the name of an encoding, never none.
 *
 * What always holds: a page that is valid UTF-8 is UTF-8. Otherwise each encoding of the web reads the same sample, and
 * the encoding wins in which the sample is the most likely text. The time is linear, and the sample is limited.
 */
import { isUtf8 } from 'node:buffer';
import { better } from './score.ts';
import { scoreCharacters } from './score-characters.ts';
import { BytePairs, scoreLetters } from './score-letters.ts';

/** A sample begins before the first byte outside ASCII and ends after one of these numbers of bytes. */
const MAX_SAMPLE_BYTES = 256 * 1024;
const MAX_SAMPLE_LETTERS = 8 * 1024;
/** UTF-16 is recognized by the zeros of the markup, with which every page begins. */
const WIDE_BYTES = 512;
const MIN_ZEROS = 0.25;
/** So many characters of UTF-8 are no accident, if fewer than one in ten is broken. */
const MIN_UTF8_CHARACTERS = 5;
const MAX_UTF8_BROKEN = 0.1;
/** In the text of an East Asian encoding, at least this share of the bytes outside ASCII follows another one. */
const MIN_ADJACENT = 0.2;

export function detectEncoding(body: Buffer): string {
  const wide = detectWide(body);
  if (wide !== null) return wide;
  if (isUtf8(body)) return isIso2022Jp(body) ? 'iso-2022-jp' : 'utf-8';
  const { sample, pairs, adjacent, letters } = sampleOf(body);
  if (isNearlyUtf8(sample)) return 'utf-8';
  const best = scoreLetters(pairs);
  return (adjacent < letters * MIN_ADJACENT ? best : better(best, scoreCharacters(sample))).encoding;
}

/** Where the zeros of ASCII characters are in units of four bytes. */
const ZEROS = { 'utf-16le': '0101', 'utf-16be': '1010', 'utf-32le': '0111', 'utf-32be': '1110' };

/** Recognizes UTF-16 and UTF-32 without a byte order mark. */
function detectWide(body: Buffer): string | null {
  const head = body.subarray(0, WIDE_BYTES);
  if (!head.includes(0)) return null;
  const zeros = [0, 0, 0, 0] as number[];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) zeros[at & 3] = (zeros[at & 3] as number) + 1;
  const pattern = zeros.map((count) => (count >= (head.length / 4) * MIN_ZEROS ? '1' : '0')).join('');
  return Object.entries(ZEROS).find(([, expected]) => pattern === expected)?.[0] ?? null;
}

/** ISO-2022-JP consists of ASCII bytes only. Escape sequences switch to Japanese. */
function isIso2022Jp(body: Buffer): boolean {
  return body.includes('\x1b$B') || body.includes('\x1b$@');
}

/** A UTF-8 page with a wrong byte, or one that was cut, is still UTF-8. */
function isNearlyUtf8(sample: Buffer): boolean {
  const text = sample.toString('utf8');
  let others = 0;
  let broken = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128) continue;
    others++;
    if (code === 0xfffd) broken++;
  }
  return others - broken >= MIN_UTF8_CHARACTERS && broken <= others * MAX_UTF8_BROKEN;
}

interface Sample {
  sample: Buffer;
  /** The pairs of bytes with at least one byte outside ASCII. */
  pairs: BytePairs;
  /** Number of bytes outside ASCII, and how many of them follow another one. */
  letters: number;
  adjacent: number;
}

function sampleOf(body: Buffer): Sample {
  let start = 0;
  while (start < body.length && (body[start] as number) < 128) start++;
  const last = Math.min(body.length, start + MAX_SAMPLE_BYTES);
  const pairs = new BytePairs();
  let letters = 0;
  let adjacent = 0;
  let before = start > 0 ? (body[start - 1] as number) : 0;
  let at = start;
  for (; at < last && letters < MAX_SAMPLE_LETTERS; at++) {
    const byte = body[at] as number;
    if (byte >= 128) {
      letters++;
      if (before >= 128) adjacent++;
    }
    if (byte >= 128 || before >= 128) pairs.add(before, byte);
    before = byte;
  }
  return { sample: body.subarray(start, at), pairs, letters, adjacent };
}
