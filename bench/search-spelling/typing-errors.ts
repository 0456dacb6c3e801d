/**
 * Errors of typing that know nothing of the correction: a finger misses the middle of a key by a normal distribution, a
 * key is not pressed, pressed twice, or two keys are pressed in the wrong order. In: a word, and a keyboard. Out: the
 * word with an error. It is another word, but may have more than one error.
 */
import type { Random } from '../../testbed/random.ts';

/** Rows of keys, and how far each is shifted to the right, in keys. */
interface Keyboard {
  readonly rows: readonly (readonly [shift: number, keys: string])[];
}

export const KEYBOARDS = {
  qwerty: {
    rows: [
      [0, 'qwertyuiop'],
      [0.25, 'asdfghjkl'],
      [0.75, 'zxcvbnm'],
    ],
  },
  qwertz: {
    rows: [
      [0, 'qwertzuiop'],
      [0.25, 'asdfghjkl'],
      [0.75, 'yxcvbnm'],
    ],
  },
  azerty: {
    rows: [
      [0, 'azertyuiop'],
      [0.25, 'qsdfghjklm'],
      [0.75, 'wxcvbn'],
    ],
  },
  cyrillic: {
    rows: [
      [0, 'йцукенгшщзхъ'],
      [0.25, 'фывапролджэ'],
      [0.75, 'ячсмитьбю'],
    ],
  },
} as const satisfies Record<string, Keyboard>;
export type KeyboardName = keyof typeof KEYBOARDS;

/** In keys. A typist who hits every key must not have errors, and one who hits none not only errors. */
const MISS = 0.9;
const NOT_PRESSED = 0.3;
const PRESSED_TWICE = 0.12;
const WRONG_ORDER = 0.25;
/** One word in eight has a second error. */
const SECOND_ERROR = 0.12;
const MAX_TRIES = 50;

export function mistype(word: string, name: KeyboardName, random: Random): string {
  const once = withError(word, KEYBOARDS[name], random);
  if (random() >= SECOND_ERROR) return once;
  const twice = withError(once, KEYBOARDS[name], random);
  // The second error may undo the first.
  return twice === word ? once : twice;
}

function withError(word: string, keyboard: Keyboard, random: Random): string {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const at = Math.floor(random() * word.length);
    const [head, letter, tail] = [word.slice(0, at), word[at]!, word.slice(at + 1)];
    const kind = random();
    let typed: string;
    if (kind < NOT_PRESSED) typed = head + tail;
    else if (kind < NOT_PRESSED + PRESSED_TWICE) typed = head + letter + letter + tail;
    else if (kind < NOT_PRESSED + PRESSED_TWICE + WRONG_ORDER) typed = head + tail.slice(0, 1) + letter + tail.slice(1);
    else {
      const hit = hitKey(letter, keyboard, random);
      // The finger may touch both keys.
      typed = head + (random() < 0.25 ? letter + hit : hit) + tail;
    }
    if (typed !== word && typed.length > 1) return typed;
  }
  return word;
}

/** The key that is nearest to where the finger lands. */
function hitKey(letter: string, { rows }: Keyboard, random: Random): string {
  const keys = rows.flatMap(([shift, row], y) => [...row].map((key, x) => ({ key, x: x + shift, y })));
  const meant = keys.find(({ key }) => key === letter);
  if (meant === undefined) return letter;
  const radius = MISS * Math.sqrt(-2 * Math.log(1 - random()));
  const angle = 2 * Math.PI * random();
  const [x, y] = [meant.x + radius * Math.cos(angle), meant.y + radius * Math.sin(angle)];
  const distance = (key: (typeof keys)[number]) => (key.x - x) ** 2 + (key.y - y) ** 2;
  return keys.reduce((nearest, key) => (distance(key) < distance(nearest) ? key : nearest)).key;
}
