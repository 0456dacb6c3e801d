/**
 * Expensive robots.txt files, each with the paths that cost most. The tests use small ones, and `npm run
 * proof robots` uses them at the full 500 KB.
 */
import { SeededRandom } from '../../testbed/random.ts';

export interface HostileForm {
  readonly robots: Buffer;
  /** The path of a URL. All paths of a form differ. */
  path(index: number): string;
}

export interface FormSize {
  readonly fileBytes: number;
  readonly pathChars: number;
  readonly seed: number;
}

type Maker = (
  size: FormSize,
  random: SeededRandom,
) => { lines: Iterable<string>; body: (random: SeededRandom) => string };

export function hostileForm(name: string, size: FormSize): HostileForm {
  const random = new SeededRandom(size.seed);
  const { lines, body } = FORMS[name]!(size, random);
  let text = 'User-agent: *\n';
  const chunks = [Buffer.from(text, 'latin1')];
  let bytes = text.length;
  for (const line of lines) {
    text = `${line}\n`;
    if (bytes + text.length > size.fileBytes) break;
    bytes += text.length;
    chunks.push(Buffer.from(text, 'latin1'));
  }
  return {
    robots: Buffer.concat(chunks),
    // Z and ! end many rules. The path has them only at its beginning.
    path: (index) => `/${index}Z!${body(new SeededRandom(size.seed * 7_919 + index))}`.slice(0, size.pathChars),
  };
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const MANY = `${LETTERS}${LETTERS.toUpperCase()}0123456789-_.~`;

function word(random: SeededRandom, length: number, letters: string): string {
  let out = '';
  for (let at = 0; at < length; at++) out += letters[random.below(letters.length)];
  return out;
}

/** Endless rule lines, made from numbers. The shortest key leaves the most room for the pattern. */
function* rules(pattern: (index: number) => string): Generator<string> {
  for (let index = 0; ; index++) yield `${index % 2 === 0 ? 'disallow' : 'allow'}:${pattern(index)}`;
}

function* cheapRules(pattern: (index: number) => string): Generator<string> {
  for (let index = 0; ; index++) yield `allow:${pattern(index)}`;
}

const stars = (random: SeededRandom, count: number, letters: string, length = 1) =>
  Array.from({ length: count }, () => `*${word(random, length, letters)}`).join('');

/** Repeats a text up to a length. */
const repeat = (text: string, chars: number) => text.repeat(Math.ceil(chars / text.length)).slice(0, chars);

/** Picks letters of a text in order, with gaps below `gap`. */
function picked(random: SeededRandom, text: string, count: number, gap: number): string {
  let out = '';
  for (let at = random.below(gap), left = count; at < text.length && left > 0; at += 1 + random.below(gap), left--)
    out += `*${text[at]}`;
  return out;
}

/** Cuts pieces from `count` places of a text. */
function cut(random: SeededRandom, text: string, count: number, minLength: number, maxLength: number): string {
  let out = '';
  for (let left = count; left > 0; left--) {
    const length = minLength + random.below(maxLength - minLength + 1);
    const at = random.below(Math.max(1, text.length - length));
    out += `*${text.slice(at, at + length)}`;
  }
  return out;
}

/** A text that the file and its paths share. */
const sharedText = (size: FormSize, letters: string) => word(new SeededRandom(size.seed + 1), size.pathChars, letters);

/** A random text that is long enough to contain all short words over the letters. */
function deBruijnLike(random: SeededRandom, letters: string, chars: number): string {
  return word(random, chars, letters);
}

export const FORMS: Readonly<Record<string, Maker>> = {
  'three stars, one letter each': (size, random) => ({
    lines: rules(() => `/*${stars(random, 3, LETTERS).slice(1)}`),
    body: (own) => word(own, size.pathChars, LETTERS),
  }),
  'three stars, letters that never come last': (size, random) => ({
    lines: rules(() => `/${stars(random, 2, LETTERS)}*${random.pick([...'XYZ'])}`),
    body: (own) => word(own, size.pathChars, LETTERS),
  }),
  'three stars, short words': (size, random) => ({
    lines: rules(() => `/${stars(random, 3, LETTERS, 3)}`),
    body: (own) => word(own, size.pathChars, LETTERS),
  }),
  'three stars, short words of two letters': (size, random) => ({
    lines: rules(() => `/${stars(random, 3, 'ab', 5)}*Z`),
    body: (own) => deBruijnLike(own, 'ab', size.pathChars),
  }),
  'numbered words': (size) => ({
    lines: rules((index) => `/*a${index}*b${index}*c`),
    body: (own) => Array.from({ length: size.pathChars }, () => `a${own.below(29_000)}b`).join(''),
  }),
  'only the end differs': (size) => ({
    lines: rules((index) => `/*a*b*c*d*e*f${index}`),
    body: (own) => word(own, size.pathChars, 'abcdef'),
  }),
  'only the end differs, anchored': (size) => ({
    lines: rules((index) => `/*a*b*c*d*e*f${index}$`),
    body: (own) => `${word(own, size.pathChars, 'abcdef').slice(12)}f${own.below(9)}`,
  }),
  'only the beginning differs': (size) => ({
    lines: rules((index) => `/${index}*a*b*c*d*e*f`),
    body: (own) => word(own, size.pathChars, 'abcde'),
  }),
  'one rule of stars': (size) => ({
    lines: [`disallow:/${'*a'.repeat((size.fileBytes - 40) >> 1)}`],
    body: () => 'a'.repeat(size.pathChars),
  }),
  'a few rules of thousands of stars': (size) => ({
    lines: cheapRules((index) => `/${'*a'.repeat(1_900)}*${LETTERS[index % 26]}*Z`),
    body: () => 'ab'.repeat(size.pathChars),
  }),
  'stars over two letters that nearly fit': (size, random) => ({
    lines: cheapRules(() => `/${stars(random, Math.floor(size.pathChars * 0.67), 'ab')}`),
    body: (own) => repeat(own.pick(['ab', 'ba', 'aab']), size.pathChars),
  }),
  'short rules of stars over two letters': (size, random) => ({
    lines: cheapRules(() => `/${stars(random, 150, 'ab')}*Z`),
    body: (own) => word(own, size.pathChars, 'ab'),
  }),
  'stars over four letters': (size, random) => ({
    lines: cheapRules(() => `/${stars(random, Math.floor(size.pathChars * 0.4), 'abcd')}*Z`),
    body: (own) => repeat(`${word(own, 4, 'abcd')}abcd`, size.pathChars),
  }),
  'stars over eight letters in order of the path': (size, random) => ({
    lines: cheapRules(() => `/${picked(random, repeat('abcdefgh', size.pathChars), 600, 5)}*Z`),
    body: (own) => repeat('abcdefgh', size.pathChars - own.below(8)),
  }),
  'stars over many letters in order of the path': (size, random) => ({
    lines: cheapRules(() => `/${picked(random, sharedText(size, MANY), 800, 4)}*!`),
    body: () => sharedText(size, MANY),
  }),
  'stars in a query, spelled in two ways': (size, random) => ({
    lines: cheapRules(() => `/*?/${stars(random, 200, 'ab')}*Z`),
    body: (own) => `?/?%2F${word(own, size.pathChars, 'ab')}`,
  }),
  'eight letters in a query, spelled in two ways': (size, random) => ({
    lines: cheapRules(() => `/*?/${stars(random, 300, 'abcdefgh')}*Z`),
    body: () => `?/?%2F${repeat('abcdefgh', size.pathChars)}`,
  }),
  'many letters in order of the path, in a query': (size, random) => ({
    lines: cheapRules(() => `/*?/${picked(random, sharedText(size, MANY), 800, 4)}*!`),
    body: () => `?/?%2F${sharedText(size, MANY)}`,
  }),
  'delimiters in a query, spelled in two ways': (size, random) => ({
    lines: cheapRules(() => `/*?${stars(random, 200, ':/?@')}*Z`),
    body: (own) =>
      `?${Array.from({ length: size.pathChars }, () => own.pick([':', '/', '%2F', '%3A', '@', '%40'])).join('')}`,
  }),
  'a delimiter in every piece, in a query, both spellings in the path': (size, random) => ({
    lines: cheapRules(
      () => `/*?${picked(random, repeat(LETTERS, size.pathChars / 6), 300, 4).replace(/[a-z]/g, '$&/')}*Z`,
    ),
    body: () =>
      `?${repeat(LETTERS, size.pathChars / 6).replace(/./g, '$&/')}${repeat(LETTERS, size.pathChars / 6).replace(/./g, '$&%2F')}`,
  }),
  'a query that matches only as written': (size, random) => ({
    lines: cheapRules(() => `/*?/${picked(random, sharedText(size, MANY).slice(0, size.pathChars / 2), 300, 4)}*'`),
    body: () => `?/${sharedText(size, MANY).slice(0, size.pathChars / 2)}'?%2F${sharedText(size, MANY)}`,
  }),
  'many letters before a query, spelled in two ways': (size, random) => ({
    lines: cheapRules(() => `/${picked(random, sharedText(size, MANY), 800, 4)}*?/*!`),
    body: () => `${sharedText(size, MANY).slice(0, size.pathChars - 20)}?/?%2F`,
  }),
  'pieces that end with each other': (size) => ({
    lines: rules((index) => `/*${'a'.repeat(index + 1)}*Z`),
    body: () => repeat(`${'a'.repeat(999)}b`, size.pathChars),
  }),
  'pieces that end with each other, far behind': (size) => ({
    lines: rules((index) => `/*X*${'a'.repeat(index + 1)}*Z`),
    body: () =>
      `${'a'.repeat(size.pathChars * 0.4)}X${repeat('bc', size.pathChars * 0.2)}${'a'.repeat(size.pathChars)}`,
  }),
  'few pieces on each of many levels': (_size, random) => ({
    lines: rules((index) => `/*X*${'cdef'[index & 3]}${repeat('ab', (index >> 2) + 1)}*Z`),
    body: (own) =>
      `X${Array.from({ length: 40 }, () => `${own.pick([...'cdef'])}${repeat('ab', 1 + random.below(90))}`).join('')}`,
  }),
  'all places of the path, a few letters each': (size, random) => {
    const text = sharedText(size, MANY);
    return {
      lines: rules(() => `/${cut(random, text.slice(0, size.pathChars / 2), 1, 2, 20)}*Z`),
      body: () => text,
    };
  },
  'all places of the path, many times each': (size, random) => {
    const text = sharedText(size, MANY);
    return {
      lines: cheapRules(() => `/${cut(random, text.slice(0, 60), 1, 2, 4)}${cut(random, text, 1, 2, 6)}*Z`),
      body: () => text,
    };
  },
  'words that stand nine times in the path, then once at its end': (size, random) => {
    const block = sharedText(size, MANY).slice(0, Math.floor(size.pathChars / 14));
    return {
      lines: rules(() => `/*X${cut(random, block, 1, 2, 60)}*Z`),
      body: () => `${block.repeat(9)}X${repeat('yz', block.length * 3)}${block}`,
    };
  },
  'words that stand nine times in the path, two per rule': (size, random) => {
    const block = sharedText(size, MANY).slice(0, Math.floor(size.pathChars / 10));
    return {
      lines: cheapRules(() => `/${cut(random, block, 2, 2, 8)}*Z`),
      body: (own) => block.repeat(own.below(2) + 9),
    };
  },
  'pairs of letters': (size, random) => ({
    lines: cheapRules(() => `/${stars(random, 60, 'abcdefgh', 2)}*Z`),
    body: (own) => word(own, size.pathChars, 'abcdefgh'),
  }),
  'pairs of letters in order of the path': (size, random) => ({
    lines: cheapRules(() => {
      const text = sharedText(size, 'abcdefghijklmnop');
      let out = '/';
      for (let at = random.below(3); at + 2 < text.length && out.length < 1_200; at += 2 + random.below(3))
        out += `*${text.slice(at, at + 2)}`;
      return `${out}*Z`;
    }),
    body: () => sharedText(size, 'abcdefghijklmnop'),
  }),
  'triples of letters in order of the path': (size, random) => ({
    lines: cheapRules(() => {
      const text = sharedText(size, LETTERS);
      let out = '/';
      for (let at = random.below(3); at + 3 < text.length && out.length < 1_200; at += 3 + random.below(4))
        out += `*${text.slice(at, at + 3)}`;
      return `${out}*Z`;
    }),
    body: () => sharedText(size, LETTERS),
  }),
  'very long words': (size, random) => ({
    lines: rules((index) => `/*${'a'.repeat(900)}${word(random, 60, 'ab')}${index}`),
    body: () => repeat(`${'a'.repeat(950)}b`, size.pathChars),
  }),
  'long words that differ at the end': (size) => ({
    lines: rules((index) => `/*${'ab'.repeat(30)}${index}`),
    body: () => repeat('ab', size.pathChars),
  }),
  'long words that differ at the beginning': (size) => ({
    lines: rules((index) => `/*${index}${'ab'.repeat(30)}`),
    body: () => repeat('ab', size.pathChars),
  }),
  'one literal as long as the file': (size) => ({
    lines: [`disallow:/*${'a'.repeat(size.fileBytes - 40)}`],
    body: () => 'a'.repeat(size.pathChars),
  }),
  'encoded octets': (size, random) => ({
    lines: rules(() => `/${stars(random, 3, '\xe4\xf6\xfc\xdf', 2)}*Z`),
    body: (own) =>
      Array.from({ length: size.pathChars }, () => own.pick(['%e4', '%C3%B6', '%F6', '%fc', '\xe4'])).join(''),
  }),
  'long words of encoded octets': (size, random) => ({
    lines: rules(() => `/*${word(random, 80, '\xe4\xf6\xfc\xdf|"')}`),
    body: (own) => word(own, size.pathChars, '|"$\''),
  }),
  'words that stand inside encoded octets': (size) => ({
    lines: rules((index) => `/*2*F*%2f${index % 97}*%2${'fF'[index & 1]}*${index}`),
    body: (own) => Array.from({ length: size.pathChars }, () => own.pick(['%2F', '%2f', '2F', '%252F'])).join(''),
  }),
  'characters that are longer when spelled': (size, random) => ({
    lines: cheapRules(() => `/${stars(random, 100, '24%')}*Z`),
    body: (own) => word(own, size.pathChars, "$'"),
  }),
  'words that are longer when spelled': (size, random) => ({
    lines: cheapRules(() => `/*${word(random, 22, "$'")}x`),
    body: (own) => word(own, size.pathChars, "$'"),
  }),
  'letter case': (size, random) => ({
    lines: rules(() => `/${stars(random, 3, 'aAbB', 4)}`),
    body: (own) => word(own, size.pathChars, 'aAbB'),
  }),
  'all rules anchored': (size, random) => ({
    lines: rules(() => `/${stars(random, 3, 'abc')}*${word(random, 1 + random.below(12), 'abc')}$`),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'whole paths': (size, random) => ({
    lines: rules((index) => `/${index}${word(random, 8, 'abc')}$`),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'stars at the end': (size, random) => ({
    lines: rules((index) => `/${index}${word(random, 2, 'abc')}*`),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'heads that begin with each other': (size) => ({
    lines: rules((index) => `/${'1'.repeat(index + 1)}*b*a`),
    body: () => `${'1'.repeat(size.pathChars / 2)}${'a'.repeat(size.pathChars)}`,
  }),
  'plain prefixes that begin with each other': (size) => ({
    lines: rules((index) => `/${'1'.repeat(index + 1)}`),
    body: (own) => `${'1'.repeat(own.below(size.pathChars))}2`,
  }),
  'plain prefixes': (size, random) => ({
    lines: rules((index) => `/${index}${word(random, 3, 'ab')}`),
    body: (own) => word(own, size.pathChars, 'ab'),
  }),
  'prefixes in a query, spelled in two ways': (size, random) => ({
    lines: rules(() => `/?${word(random, 100, ':/?@[]')}`),
    body: (own) => `?${word(own, size.pathChars, ':/?@[]')}`,
  }),
  'the same rule again and again': (size) => ({
    lines: rules(() => '/*a*b*c*d*e*f*g'),
    body: (own) => word(own, size.pathChars, 'abcdef'),
  }),
  'runs of stars': (size) => ({
    lines: rules((index) => `/${'*'.repeat(40)}a${'*'.repeat(40)}${index}`),
    body: (own) => word(own, size.pathChars, 'a012'),
  }),
  'many groups': (size, random) => ({
    lines: (function* () {
      for (;;) yield `disallow:/${stars(random, 2, 'abc', 3)}\nuser-agent:*`;
    })(),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'nothing but agents': (size, random) => ({
    lines: (function* () {
      for (;;) yield `user-agent:${word(random, 3, LETTERS)}`;
    })(),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'nothing but sitemaps': (size, random) => ({
    lines: (function* () {
      for (;;) yield `sitemap:http://a.test/${word(random, 8, LETTERS)}`;
    })(),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'one line without a colon': (size) => ({
    lines: [`${'a '.repeat((size.fileBytes - 40) >> 1)}`],
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
  'empty lines and remarks': (size) => ({
    lines: (function* () {
      for (let index = 0; ; index++) yield index % 3 === 0 ? '#' : ` \t:${' '.repeat(index % 50)}#`;
    })(),
    body: (own) => word(own, size.pathChars, 'abc'),
  }),
};
