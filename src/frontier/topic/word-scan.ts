/**
 * Turns text into words as numbers. Each word is folded, loses its plural s and is hashed to 32 bits, which is enough
 * to count and compare words. No string is created, so the sixty links of a page cost only microseconds.
 *
 * Two words with the same hash count as one word. With a few hundred topic words this happens to one word in ten
 * million. A page that wants to match through a collision can simply use the topic's words instead.
 */

/** The scan stops after this many words of a text. */
export const MAX_WORDS = 20_000;
/** Further letters of a word are ignored. */
const MAX_LETTERS = 40;
const CASE_BIT = 0x20;
/** ASCII letters and digits in lower case. 0 for every character that separates words. */
const FOLDED_ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  return /[0-9a-z]/i.test(letter) ? letter.toLowerCase().charCodeAt(0) : 0;
});

export class WordScan {
  /** The words of the last text. Only the first `count` entries are valid. */
  readonly hashes = new Int32Array(MAX_WORDS);
  count = 0;
  readonly #letters = new Uint16Array(MAX_LETTERS);
  #length = 0;
  /** The previous letter if it belongs to a script without spaces, otherwise 0. */
  #neighbour = 0;
  #inPair = false;

  /** Words are runs of letters and digits. */
  readText(text: string): void {
    this.#begin();
    const letters = this.#letters;
    for (let at = 0; at < text.length && this.count < MAX_WORDS; at++) {
      let unit = text.charCodeAt(at);
      if (unit >= 0x80) {
        this.#addUnit(unit);
        continue;
      }
      if (FOLDED_ASCII[unit] === 0 || this.#neighbour !== 0) this.#endWord();
      // Most text is runs of ASCII letters. This tight loop saves a fifth of the time.
      let length = this.#length;
      for (let letter = FOLDED_ASCII[unit]!; letter !== 0; letter = FOLDED_ASCII[unit]!) {
        if (length < MAX_LETTERS) letters[length++] = letter;
        unit = text.charCodeAt(++at);
        if (!(unit < 0x80)) break;
      }
      this.#length = length;
      if (unit < 0x80) this.#endWord();
      else at--;
    }
    this.#endWord();
  }

  /**
   * Words are runs of letters after the offset `from`. A capital after a small letter starts a new
   * word: `/orbWeb2` is `orb`, `web`.
   */
  readUrl(url: string, from: number): void {
    this.#begin();
    const text = url.indexOf('%', from) === -1 ? url : decodeTriplets(url);
    let afterSmall = false;
    for (let at = from; at < text.length && this.count < MAX_WORDS; at++) {
      const unit = text.charCodeAt(at);
      const small = unit >= 0x61 && unit <= 0x7a;
      if (small) this.#addLetter(unit);
      else if (unit >= 0x41 && unit <= 0x5a) {
        if (afterSmall) this.#endWord();
        this.#addLetter(unit | CASE_BIT);
      } else if (unit >= 0x80) this.#addUnit(unit);
      else this.#endWord();
      afterSmall = small;
    }
    this.#endWord();
  }

  #begin(): void {
    this.count = 0;
    this.#length = 0;
    this.#neighbour = 0;
    this.#inPair = false;
  }

  #addLetter(letter: number): void {
    if (this.#neighbour !== 0) this.#endWord();
    if (this.#length < MAX_LETTERS) this.#letters[this.#length++] = letter;
  }

  #addUnit(unit: number): void {
    const folded = foldLetter(unit);
    if (folded === SEPARATOR) this.#endWord();
    else if (folded === DROPPED) return;
    else if (folded >= SPACELESS) this.#addSpaceless(folded & 0xffff);
    else {
      this.#addLetter(folded & 0xffff);
      if (folded > 0xffff) this.#addLetter(folded >>> 16);
    }
  }

  #addSpaceless(letter: number): void {
    const before = this.#neighbour;
    if (before === 0) this.#endWord();
    else {
      this.#emit(hashEnd(hashUnit(hashUnit(HASH_START, before), letter)));
      this.#inPair = true;
    }
    this.#neighbour = letter;
  }

  #endWord(): void {
    if (this.#length > 0) {
      const length = withoutPlural(this.#letters, this.#length);
      let hash = HASH_START;
      for (let i = 0; i < length; i++) hash = hashUnit(hash, this.#letters[i]!);
      this.#emit(hashEnd(hash));
      this.#length = 0;
    } else if (this.#neighbour !== 0 && !this.#inPair) this.#emit(hashEnd(hashUnit(HASH_START, this.#neighbour)));
    this.#neighbour = 0;
    this.#inPair = false;
  }

  #emit(hash: number): void {
    if (this.count < MAX_WORDS) this.hashes[this.count++] = hash;
  }
}

/** The hash of two neighbouring words as one word. */
export function pairHash(first: number, second: number): number {
  return hashEnd(Math.imul(first, 31) ^ second);
}

const HASH_START = 0x811c9dc5 | 0;

function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** The low bits choose the slots of tables, so all bits are mixed into them. */
function hashEnd(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
}

const [A, E, I, O, S, U, Y] = Array.from('aeiosuy', (letter) => letter.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

/**
 * Removes the plural ending of English and of most French and Spanish words: `ies` becomes `y`, otherwise a final s is
 * removed, but not from `us`, `ss` and `is`. The same rule applies to the topic and the page, so its errors cancel
 * out. Returns the new length.
 */
function withoutPlural(letters: Uint16Array, length: number): number {
  if (length < 4 || letters[length - 1] !== S) return length;
  const before = letters[length - 2];
  if (before === S || before === U || before === I) return length;
  if (before !== E || letters[length - 3] !== I || length < 5) return length - 1;
  const third = letters[length - 4];
  if (third === A || third === E || third === O) return length - 1;
  letters[length - 3] = Y;
  return length - 2;
}

/** A URL that is not valid UTF-8 stays encoded. Its letters become meaningless words, which do no harm. */
function decodeTriplets(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

/**
 * Classifies a UTF-16 unit for the word scan: a letter (folded), a mark to drop, or the end of a word. Folding
 * removes case, the accents of Latin, Greek and Cyrillic (NFKD without its marks) and full-width forms: `É`, `é`
 * and `e` are one letter, `ﬁ` is two.
 */
const SEPARATOR = 1;
/** Combining marks, soft hyphens and joiners. They are inside a word but are not letters of it. */
const DROPPED = 2;
/** A flag on letters of scripts that are written without spaces. There, each pair of neighbouring letters is a word. */
const SPACELESS = 0x8000_0000;

const UNKNOWN = 0;
const BLOCK_BITS = 8;
const BLOCK_UNITS = 1 << BLOCK_BITS;
/**
 * A cache in blocks of 256 units, filled when a unit is first seen. A page uses two or three blocks;
 * all blocks would take 256 KB.
 */
const blocks: (Uint32Array | undefined)[] = Array.from({ length: 0x10000 >> BLOCK_BITS });

/**
 * Returns one of the constants above, or the folded letter in the low 16 bits, a second letter in
 * the next 15 bits, and the flag.
 */
function foldLetter(unit: number): number {
  let block = blocks[unit >> BLOCK_BITS];
  if (block === undefined) {
    block = new Uint32Array(BLOCK_UNITS);
    blocks[unit >> BLOCK_BITS] = block;
  }
  const place = unit & (BLOCK_UNITS - 1);
  if (block[place] === UNKNOWN) block[place] = classify(unit);
  return block[place]!;
}

const LETTER = /[\p{L}\p{N}]/u;
const MARK = /[\p{M}\u{ad}\u{200c}\u{200d}]/u;
const SPACELESS_SCRIPT = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
/**
 * Scripts in which a mark is an accent. In other scripts a mark makes a different letter: か
 * and が, or the vowels of Hindi.
 */
const ACCENTED_SCRIPT = /[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}]/u;
const MARKS = /\p{M}/gu;

function classify(unit: number): number {
  // One half of a surrogate pair, mostly a Han character. The pair of the two halves serves as a word.
  if (unit >= 0xd800 && unit <= 0xdfff) return (unit | SPACELESS) >>> 0;
  const letter = String.fromCharCode(unit);
  if (SPACELESS_SCRIPT.test(letter)) return (unit | SPACELESS) >>> 0;
  if (MARK.test(letter)) return DROPPED;
  if (!LETTER.test(letter)) return SEPARATOR;
  const lower = letter.toLowerCase();
  const folded = ACCENTED_SCRIPT.test(letter) || unit >= 0xff00 ? lower.normalize('NFKD').replace(MARKS, '') : lower;
  const first = folded.charCodeAt(0);
  const second = folded.length > 1 ? folded.charCodeAt(1) : 0;
  return Number.isNaN(first) ? SEPARATOR : first | ((second & 0x7fff) << 16);
}
