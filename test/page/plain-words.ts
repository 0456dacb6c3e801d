/** The words of a text, formed byte by byte: the rule that the kernel has to follow, without its speed. */

const MULTIPLIER = 0x2c1b3c6d;
const LETTER = 0x100;

export function plainWords(text: Uint8Array): number[] {
  const words: number[] = [];
  let hash = 0;
  let letters = 0;
  const add = (code: number): void => {
    hash = (Math.imul(hash, MULTIPLIER) + code) | 0;
    letters |= code;
  };
  const end = (): void => {
    if (hash !== 0) words.push(((hash << 1) | (letters & LETTER ? 0 : 1)) >>> 0);
    hash = 0;
    letters = 0;
  };
  for (let at = 0; at < text.length; ) {
    const first = text[at] as number;
    let next = at + 1;
    if (first < 0x80) {
      const lower = first | 0x20;
      if (lower >= 97 && lower <= 122) add(LETTER | lower);
      else if (first >= 48 && first <= 57) add(first);
      else end();
    } else {
      while (next < text.length && ((text[next] as number) & 0xc0) === 0x80) next++;
      const role = roleOf(first, next > at + 1 ? (text[at + 1] as number) : 0);
      if (role !== 'letter') end();
      if (role !== 'gap') {
        for (let i = at; i < next; i++) add(text[i] as number);
        letters |= LETTER;
      }
      if (role === 'word') end();
    }
    at = next;
  }
  end();
  return words;
}

/** In scripts without spaces every character is a word, so each character of three or more bytes is. */
function roleOf(first: number, second: number): 'letter' | 'word' | 'gap' {
  if (first === 0xc2) return 'gap';
  if (first < 0xe0) return 'letter';
  if (first === 0xe2 && second < 0xb0) return 'gap';
  return first === 0xe3 && second === 0x80 ? 'gap' : 'word';
}
