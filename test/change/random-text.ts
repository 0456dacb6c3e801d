/** Random texts from a seed, so that a failure can be repeated. */

export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** The letters of a language. Frequent letters appear several times. */
export const ALPHABETS = {
  english: 'eeeeeeetttttaaaaaooooiiiinnnnsssshhhhrrrrddllluuccmmwffggyppbvkxqjz',
  digits: '0123456789',
  accents: 'eeaaiioéèêüöäßñçczqkvłąž',
  cyrillic: 'оооееаииннттссррввллккммддппууяыьгзбчйхжшюцщэфъё',
  chinese: '的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会',
  thai: 'กขคงจชซดตทนบปผพมยรลวสหอะาิีึืุู',
} as const;

/** Words of an alphabet, separated by `signs`. */
export function randomText(
  random: () => number,
  alphabet: string,
  letters: number,
  signs: readonly string[] = [' '],
): string {
  const all = Array.from(alphabet);
  let text = '';
  for (let letter = 0; letter < letters; letter++) {
    text += all[Math.floor(random() * all.length)];
    if (random() < 0.2) text += signs[Math.floor(random() * signs.length)];
  }
  return text;
}
