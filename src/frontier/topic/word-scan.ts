/**
 * From text to words, as numbers: each word is folded, freed of a plural s, and hashed to 32 bits, which is all that counting and
 * comparing need. No string is made, so that the sixty links of a page cost microseconds.
 *
 * Two words of one hash would count as one. With a few hundred topic words that befalls one word in ten million, and who wants
 * to be found by a collision on purpose can as well write the topic's words.
 */
import { DROPPED, foldLetter, SEPARATOR, SPACELESS } from './fold-letter.ts';

/** Of a text longer than this, the beginning is read. */
export const MAX_WORDS = 20_000;
/** Of a word longer than this, too. */
const MAX_LETTERS = 40;
const CASE_BIT = 0x20;
/** Letters and digits of ASCII in lower case, 0 for all that parts words. */
const FOLDED_ASCII = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  return /[0-9a-z]/i.test(letter) ? letter.toLowerCase().charCodeAt(0) : 0;
});

export class WordScan {
  /** The words of the last text, the first `count` of them. */
  readonly hashes = new Int32Array(MAX_WORDS);
  count = 0;
  readonly #letters = new Uint16Array(MAX_LETTERS);
  #length = 0;
  /** The last letter of a script without spaces, 0 where none came right before. */
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
      // Most text is runs of ASCII letters: a loop with nothing else in it saves a fifth of the time.
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

  /** Words are runs of letters in what follows `from`, and a capital after a small letter begins a word: `/orbWeb2` is `orb`, `web`. */
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

/** Two words that stand beside each other, as one. */
export function pairHash(first: number, second: number): number {
  return hashEnd(Math.imul(first, 31) ^ second);
}

const HASH_START = 0x811c9dc5 | 0;

function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** The low bits choose places in tables, so all bits are mixed into them. */
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
 * The plural of English, and of most words of French and Spanish: `ies` is `y`, else a last s goes, but not from `us`, `ss`, `is`. The
 * rule is the same for the topic and the page, so where it is wrong it is wrong on both sides. Gives the new length.
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

/** What is not UTF-8 stays as it is: its letters are then cut into pieces that mean nothing, and harm nothing. */
function decodeTriplets(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
