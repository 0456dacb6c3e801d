/** Where two texts differ, found without cutting them into words: for those that are too long for that. */
export interface DifferentPart {
  /** In both: what lies before is the same. */
  readonly from: number;
  /** What lies behind is the same. */
  readonly toOld: number;
  readonly toNew: number;
}

/** A word is not cut in two, unless it is longer than any. */
const LONGEST_WORD = 100;

export function differentPart(old: string, young: string): DifferentPart {
  const shorter = Math.min(old.length, young.length);
  let same = 0;
  while (same < shorter && old.charCodeAt(same) === young.charCodeAt(same)) same++;
  const from = endOfSpace(old, same);
  let left = shorter - from;
  let behind = 0;
  const [lastOld, lastNew] = [old.length - 1, young.length - 1];
  while (left > 0 && old.charCodeAt(lastOld - behind) === young.charCodeAt(lastNew - behind)) {
    behind++;
    left--;
  }
  const toOld = startOfSpace(old, old.length - behind);
  return { from, toOld, toNew: toOld + young.length - old.length };
}

/** The last place up to `at` that lies behind white space. */
function endOfSpace(text: string, at: number): number {
  for (let place = at; place > 0 && at - place < LONGEST_WORD; place--) {
    if (isSpace(text, place - 1)) return place;
  }
  return isSecondHalf(text, at) ? at - 1 : at;
}

/** The first place from `at` on that lies before white space. */
function startOfSpace(text: string, at: number): number {
  for (let place = at; place < text.length && place - at < LONGEST_WORD; place++) {
    if (isSpace(text, place)) return place;
  }
  return isSecondHalf(text, at) ? at + 1 : at;
}

function isSpace(text: string, at: number): boolean {
  return text.charCodeAt(at) <= 32;
}

/** Of a surrogate pair. */
function isSecondHalf(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
