/** The edits of an author, by kind of content. A reader would want to know about every one of them. */

export const SLOT_TYPES = [
  'price',
  'date',
  'name',
  'stock',
  'heading',
  'paragraph',
  'link',
  'image',
  'alt',
  'cell',
  'option',
  'phone',
  'hours',
  'countLike',
  'version',
  'byline',
  'lookalike',
  'title',
  'description',
  'measure',
  'stateValue',
  'linkedData',
  'eventAge',
  'item',
  'countInProse',
  'email',
  'holder',
  'label',
  'listing',
  'hiddenChoice',
  'pictureVersion',
  'code',
  'duration',
  'spacing',
] as const;
export type SlotType = (typeof SLOT_TYPES)[number];

type Edit = (value: string, random: () => number) => string;

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

/** Changes one digit. The first digit does not become zero. */
const digit: Edit = (value, random) => {
  const places = [...value.matchAll(/\d/g)].map((found) => found.index);
  const place = pick(places, random);
  const old = Number(value[place]);
  const next = 1 + ((old + Math.floor(random() * 8)) % 9);
  return value.slice(0, place) + (next === old ? (old % 9) + 1 : next) + value.slice(place + 1);
};

const letter: Edit = (value, random) => {
  const places = [...value.matchAll(/[a-z]/g)].map((found) => found.index);
  const place = pick(places, random);
  const next = String.fromCharCode(97 + ((value.charCodeAt(place) - 97 + 1 + Math.floor(random() * 24)) % 26));
  return value.slice(0, place) + next + value.slice(place + 1);
};

const word: Edit = (value, random) => {
  const words = value.split(' ');
  words[Math.floor(random() * words.length)] = pick(['closed', 'postponed', 'withdrawn', 'sold', 'delayed'], random);
  return words.join(' ');
};

const negate: Edit = (value) =>
  value
    .replace(/ (is|are|was|were|may|will|must|can) /, ' $1 not ')
    .replace(/^(?!.*\bnot\b)(.*)$/s, 'It is not so: $1');

const shorten: Edit = (value) => value.slice(0, Math.max(1, value.lastIndexOf(' ')));

const swap: Edit = (value) => {
  const words = value.split(' ');
  const at = words.findIndex((first, place) => place + 1 < words.length && first !== words[place + 1]);
  if (at < 0) return `${value} indeed`;
  [words[at], words[at + 1]] = [words[at + 1]!, words[at]!];
  return words.join(' ');
};

const replaceBy =
  (...texts: readonly string[]): Edit =>
  (value, random) => {
    const others = texts.filter((text) => text !== value);
    return pick(others, random);
  };

const either =
  (...edits: readonly Edit[]): Edit =>
  (value, random) =>
    pick(edits, random)(value, random);

const NAMES = ['Miriam Okafor', 'Jon Aalto', 'Petra Lindqvist', 'Samir Haddad', 'Wei Zhang', 'Ada Kowalska'];

export const REAL_EDITS: Readonly<Record<SlotType, Edit>> = {
  price: digit,
  date: digit,
  name: either(replaceBy(...NAMES), letter),
  stock: replaceBy('In stock', 'Sold out', 'Only 2 left', 'Back in May'),
  heading: either(word, letter, swap),
  paragraph: either(word, letter, negate, shorten, swap),
  link: (value, random) => value.replace(/[\w-]+(?=\/?$)/, (last) => letter(`${last}a`, random)),
  image: (value, random) => value.replace(/[a-z]+(?=\.\w+$)/, (last) => letter(last, random)),
  alt: either(word, letter),
  cell: (value, random) => (/\d/.test(value) ? digit : letter)(value, random),
  option: either(letter, word),
  phone: digit,
  hours: digit,
  countLike: digit,
  version: digit,
  byline: digit,
  lookalike: either(word, letter),
  title: either(word, letter),
  description: either(word, letter),
  measure: digit,
  stateValue: digit,
  linkedData: digit,
  eventAge: digit,
  item: either(
    () => '',
    (value) => value + value,
  ),
  countInProse: digit,
  email: letter,
  holder: letter,
  label: letter,
  listing: (value, random) => (/\d/.test(value) ? digit : word)(value, random),
  hiddenChoice: digit,
  pictureVersion: digit,
  code: either(digit, letter),
  duration: digit,
  spacing: (value) => value.replace('\n', '\n  '),
};
