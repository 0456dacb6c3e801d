/**
 * The script in which a text is mostly written. In: a text. Out: a script with several languages (`latin`, `cyrillic`,
 * `arabic`), or the language that the script alone decides.
 */

/** First code, last code, and the script or language. Sorted, without overlaps. */
const RANGES: readonly (readonly [first: number, last: number, script: string])[] = [
  [0x0041, 0x024f, 'latin'],
  [0x0370, 0x03ff, 'el'],
  [0x0400, 0x052f, 'cyrillic'],
  [0x0531, 0x058f, 'hy'],
  [0x0590, 0x05ff, 'he'],
  [0x0600, 0x077f, 'arabic'],
  [0x0900, 0x097f, 'hi'],
  [0x0980, 0x09ff, 'bn'],
  [0x0a00, 0x0a7f, 'pa'],
  [0x0a80, 0x0aff, 'gu'],
  [0x0b00, 0x0b7f, 'or'],
  [0x0b80, 0x0bff, 'ta'],
  [0x0c00, 0x0c7f, 'te'],
  [0x0c80, 0x0cff, 'kn'],
  [0x0d00, 0x0d7f, 'ml'],
  [0x0d80, 0x0dff, 'si'],
  [0x0e00, 0x0e7f, 'th'],
  [0x0e80, 0x0eff, 'lo'],
  [0x0f00, 0x0fff, 'bo'],
  [0x1000, 0x109f, 'my'],
  [0x10a0, 0x10ff, 'ka'],
  [0x1100, 0x11ff, 'ko'],
  [0x1200, 0x139f, 'am'],
  [0x1780, 0x17ff, 'km'],
  [0x1e00, 0x1eff, 'latin'],
  [0x1f00, 0x1fff, 'el'],
  [0x3040, 0x30ff, 'ja'],
  [0x3400, 0x9fff, 'zh'],
  [0xac00, 0xd7a3, 'ko'],
  [0xf900, 0xfaff, 'zh'],
];

/** An East Asian character carries as much as several letters. */
const WEIGHTS: Readonly<Record<string, number>> = { zh: 3, ja: 3, ko: 2.5 };
const MIN_WEIGHT = 8;
/** Japanese has many characters that Chinese uses too. Chinese has no kana. */
const MIN_KANA_SHARE = 0.08;
const LETTER = /\p{L}/u;

export const SCRIPTS_OF_ONE_LANGUAGE: ReadonlySet<string> = new Set(
  RANGES.map(([, , script]) => script).filter((script) => script.length === 2),
);

export function scriptOf(text: string): string | null {
  const counts = new Map<string, number>();
  for (let at = 0; at < text.length; at++) {
    const script = scriptOfCode(text.charCodeAt(at));
    if (script === null || (script === 'latin' && !LETTER.test(text[at] as string))) continue;
    counts.set(script, (counts.get(script) ?? 0) + (WEIGHTS[script] ?? 1));
  }
  const kana = counts.get('ja') ?? 0;
  const han = counts.get('zh') ?? 0;
  if (kana > 0 && kana >= MIN_KANA_SHARE * (kana + han)) {
    counts.set('ja', kana + han);
    counts.delete('zh');
  }
  let best: string | null = null;
  let most = MIN_WEIGHT;
  for (const [script, count] of counts) {
    if (count < most) continue;
    best = script;
    most = count;
  }
  return best;
}

function scriptOfCode(code: number): string | null {
  let low = 0;
  let high = RANGES.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last, script] = RANGES[middle] as (typeof RANGES)[number];
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return script;
  }
  return null;
}
