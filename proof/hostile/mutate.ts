/**
 * Mutations of the known hostile pages. In: the number of a mutation, which alone
 * determines it. Out: a body for each version.
 *
 * A mutation is one to three of these changes: two pages in turns, another surrounding, one character replaced by
 * another throughout, a slice repeated over and over, a cut, and another Content-Type. The versions of a mutation
 * differ where the versions of its pages differ.
 */

import { SeededRandom } from '../../testbed/random.ts';
import { buildPage, type HostilePage, KNOWN_PAGES } from '../../testbed/web/expensive-pages.ts';

export interface HostileBody {
  readonly name: string;
  readonly type: string;
  readonly isGzipped: boolean;
  readonly build: (version: number) => Buffer;
}

const AROUND = [
  '<svg>',
  '<math>',
  '<table>',
  '<select>',
  '<pre>',
  '<footer>',
  '<script>',
  '<!--',
  '<textarea>',
  '<template>',
].concat([
  '<a onclick="',
  '<div class="promo">',
  '<form><button>',
  '<style>',
  '<noscript>',
  '<h1>',
  '<td>',
  '<b><i><u>',
  '<p title="',
]);
const SWAPS: readonly (readonly [from: string, to: string])[] = [
  ['"', "'"],
  ['"', ''],
  ['>', ''],
  ['>', '><'],
  ['<', '<<'],
  ['</', '<'],
  ['/', '//'],
  [' ', '\t\n '],
  ['=', ' = '],
  ['&', '&amp;&'],
  ['1', '1 views '],
  ['x', '<x>'],
  ['-', '--!>'],
  ['a', '%61'],
  ['0', '\u00e9'],
  ['<', '&lt;<'],
  ['<p', '<li'],
  ['div', 'b'],
  ['script', 'style'],
  ['href', 'class'],
  ['id', 'name'],
];
const TYPES = [
  'text/html',
  'text/html; charset=utf-8',
  'application/xhtml+xml',
  'text/html; charset=shift_jis',
  'application/xml',
];

export function knownBody(page: HostilePage, bytes: number): HostileBody {
  return { name: page.name, type: page.type, isGzipped: true, build: (version) => buildPage(page, bytes, version) };
}

export function mutate(number: number, bytes: number): HostileBody {
  const random = new SeededRandom(number * 7_919 + 1);
  let page = random.pick(KNOWN_PAGES);
  const names = [page.name];
  const edits: ((text: string) => string)[] = [];
  let { type } = page;
  for (let left = 1 + random.below(3); left > 0; left--) {
    switch (random.below(7)) {
      case 0:
      case 1: {
        const other = random.pick(KNOWN_PAGES);
        page = inTurns(page, other, 1 + random.below(20));
        names.push(other.name);
        break;
      }
      case 2:
        page = { ...page, head: page.head + random.pick(AROUND).repeat(1 + random.below(3)) };
        names.push('surrounded');
        break;
      case 3: {
        const [from, to] = random.pick(SWAPS);
        edits.push((text) => text.replaceAll(from, to).slice(0, bytes));
        names.push(`${from} to ${to}`);
        break;
      }
      case 4: {
        const [at, length] = [random.below(bytes >> 1), 1 + random.below(5_000)];
        edits.push((text) =>
          text
            .slice(at, at + length)
            .repeat(Math.ceil(bytes / length))
            .slice(0, bytes),
        );
        names.push('repeated');
        break;
      }
      case 5: {
        const at = random.below(bytes);
        edits.push((text) => text.slice(at) + text.slice(0, at));
        names.push('turned');
        break;
      }
      default:
        type = random.pick(TYPES);
        names.push(type);
    }
  }
  const built = page;
  const build = (version: number): Buffer => {
    const text = buildPage(built, bytes, version).toString('latin1');
    return Buffer.from(
      edits.reduce((edited, edit) => edit(edited), text),
      'latin1',
    );
  };
  return { name: `${number}: ${names.join(', ')}`, type, isGzipped: random.below(2) === 0, build };
}

function inTurns(one: HostilePage, other: HostilePage, every: number): HostilePage {
  const part = (step: number, version: number) =>
    (Math.floor(step / every) % 2 === 0 ? one : other).part(step, version);
  return { ...one, head: one.head + other.head, tail: other.tail + one.tail, part };
}
