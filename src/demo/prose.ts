/**
 * Generates text for pages. The same seed gives the same text, so nothing in the
 * demo web depends on a clock or on chance.
 */
export class Prose {
  #state: number;

  constructor(seed: string) {
    // FNV-1a, so that similar seeds start with very different states.
    let hash = 0x811c9dc5;
    for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
    this.#state = hash >>> 0;
  }

  /** A number from 0 up to, but not including, `limit`. */
  number(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.number(items.length)]!;
  }

  sentence(): string {
    const text = this.pick(SENTENCES).replace(/\{(\w+)\}/g, (_, name: string) => this.pick(WORDS[name]!));
    return text[0]!.toUpperCase() + text.slice(1);
  }

  paragraph(sentences = 4): string {
    return Array.from({ length: sentences }, () => this.sentence()).join(' ');
  }
}

const WORDS: Readonly<Record<string, readonly string[]>> = {
  thread: [
    'a dry spoke',
    'the bridge line',
    'the sticky spiral',
    'a signal thread',
    'the frame',
    'the hub',
    'a dragline',
  ],
  place: ['between two reeds', 'under the eaves', 'over the brook', 'in the bramble', 'across the gate', 'by the lamp'],
  time: [
    'before dawn',
    'at dusk',
    'after the first frost',
    'on still evenings',
    'in late summer',
    'while the dew lasts',
  ],
  doer: ['the weaver', 'a young one', 'the old female', 'every neighbour', 'a patient watcher', 'the small male'],
  does: ['mends', 'tests', 'takes down', 'tightens', 'abandons', 'feels out', 'begins again with'],
  quality: ['quiet', 'exact', 'thrifty', 'wind-worn', 'silver', 'unhurried', 'stubborn'],
  thing: ['a moth', 'a falling leaf', 'the wind', 'a drop of dew', 'a passing sleeve', 'the neighbour’s cat'],
};

const SENTENCES: readonly string[] = [
  '{time} {doer} {does} {thread}, {place}.',
  '{doer} {does} {thread} and waits {place}.',
  'no two webs {place} are alike, for {doer} is {quality} and {thread} is {quality}.',
  '{thread} holds, even when {thing} goes through the rest.',
  'it is {quality} work: {doer} {does} {thread} again and again {time}.',
  'those who look {place} {time} will see how {doer} {does} {thread}.',
  'what {thing} tears, {doer} eats; the silk is not wasted.',
  '{time}, when {thing} comes near, {thread} sings a little lower.',
];

/** `Old Lantern Weaver` → `old-lantern-weaver`. */
export function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
