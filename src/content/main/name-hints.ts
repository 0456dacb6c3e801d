/**
 * Reads what the name, the class, the id and the ARIA role of an element say about its content, as a hint. The words
 * are in name-words.ts.
 */
import {
  ARTICLE_BODY,
  BESIDE,
  BYLINE,
  COMMENT,
  COMMERCE,
  CONSENT,
  GROUPS,
  HIDDEN,
  HIDDEN_BY_NAME,
  HIDING,
  OWN_PART,
  OWN_PARTS,
  POSITIVE,
  POSTER,
  PRICE,
  ROLE_BITS,
  SHOWN_ON_WIDE,
  WEAK,
} from './name-words.ts';
import { ASIDE, BOILERPLATE, FOOTER, HEADER, NAVIGATION } from './roles.ts';

const HINTS = new Map<string, number>();
for (const [hint, words] of GROUPS) {
  for (const word of words.split(' ')) HINTS.set(word, mergeHints(HINTS.get(word) ?? 0, hint));
}
for (const word of OWN_PARTS.split(' ')) HINTS.set(word, OWN_PART);

const ARIA_ROLES = new Map<string, number>([
  ['navigation', NAVIGATION],
  ['menu', NAVIGATION],
  ['menubar', NAVIGATION],
  ['banner', HEADER | WEAK],
  ['contentinfo', FOOTER],
  ['complementary', ASIDE],
  ['search', BOILERPLATE],
  ['dialog', BOILERPLATE],
  ['alertdialog', BOILERPLATE],
  ['alert', BOILERPLATE],
  ['main', POSITIVE],
  ['article', POSITIVE],
]);

const ELEMENT_HINTS = new Map<string, number>([
  ['nav', NAVIGATION],
  ['header', HEADER | WEAK],
  ['footer', FOOTER],
  ['aside', ASIDE],
  ['menu', NAVIGATION],
  ['main', POSITIVE],
  ['article', POSITIVE],
  ['form', BOILERPLATE | WEAK],
  ['fieldset', BOILERPLATE | WEAK],
  ['figcaption', BOILERPLATE],
  ['address', BOILERPLATE | WEAK],
  ['time', BOILERPLATE | WEAK | BYLINE],
  ['dialog', BOILERPLATE],
]);

/** Longer names are read only up to here. */
const MAX_NAME_CHARS = 300;

/** Reads hints from names and remembers them, because the elements of a page share few class names. */
export class HintReader {
  readonly #known = new Map<string, number>();

  /** The hint of an element with this name and these attributes. */
  read(name: string, attributes: readonly string[]): number {
    let hint = ELEMENT_HINTS.get(name) ?? 0;
    for (let i = 0; i < attributes.length; i += 2) {
      const value = attributes[i + 1] ?? '';
      switch (attributes[i]) {
        case 'id':
          if (!isSlug(name, value, attributes)) hint = mergeHints(hint, this.#readName(value));
          break;
        case 'class':
        case 'data-testid':
        case 'data-component':
          hint = mergeHints(hint, this.#readName(value));
          break;
        case 'role':
          hint = mergeHints(hint, ARIA_ROLES.get(value) ?? 0);
          break;
        case 'itemprop':
          if (value === 'articleBody') hint |= POSITIVE | ARTICLE_BODY;
          break;
        case 'hidden':
          if (!isStreamed(attributes)) hint |= HIDDEN;
          break;
        case 'style':
          if (hidesElement(value)) hint |= HIDDEN;
          break;
      }
    }
    return hint & OWN_PART ? hint & ~(ROLE_BITS | WEAK | OWN_PART) : hint;
  }

  #readName(value: string): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const hint = hintOfName(value.length > MAX_NAME_CHARS ? value.slice(0, MAX_NAME_CHARS) : value);
    this.#known.set(value, hint);
    return hint;
  }
}

/** React sends late parts of a page in hidden elements with such an id, and shows them with a script. */
function isStreamed(attributes: readonly string[]): boolean {
  const id = attributes.indexOf('id');
  return id >= 0 && id % 2 === 0 && /^S:[0-9a-f]{1,4}$/.test(attributes[id + 1] ?? '');
}

/** Elements whose id is mostly made from the heading of the text, as in `<section id="cookie-objects">`. */
const SLUG_ELEMENTS = new Set('dt dd li span a h1 h2 h3 h4 h5 h6'.split(' '));

/** Says whether an id describes the subject of the text instead of the purpose of the element. */
function isSlug(name: string, id: string, attributes: readonly string[]): boolean {
  if (SLUG_ELEMENTS.has(name)) return true;
  const isSection = (name === 'section' && !attributes.includes('class')) || attributes.includes('section');
  return isSection && /[-._]/.test(id);
}

/** A name of so many parts that are so short on average was made by a program (`adFHlH`). Its parts are no words. */
const LEAST_RANDOM_PARTS = 3;
const SHORT_PART = 2.5;
/** The letters in the number that a program gave to an element (`4fa61cd5-c870-432d`) are no words. */
const NUMBERED = /[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}(?![a-z])/i;
const LEAST_NUMBERED = 14;

/** WordPress names the subjects of a post beside its kind: `post type-post category-social tag-newsletter`. */
const OF_POST = /\b(?:hentry|type-post|type-product|status-publish)\b/;
const SUBJECT = /^(?:(?:\w+_)?(?:tag|cat|category)|status|format|type|author)-/;

function hintOfName(value: string): number {
  let hint = 0;
  const isPost = OF_POST.test(value);
  const isShown = SHOWN_ON_WIDE.test(value);
  // Style sheets of small rules write values into names: `top-[var(--nav-height)]`.
  for (const name of value.replace(/\[[^[\]]*\]/g, '').split(' ')) {
    let previous = '';
    let own = HIDING.has(name) && !isShown ? BOILERPLATE | HIDDEN_BY_NAME : 0;
    if ((name.length >= LEAST_NUMBERED && NUMBERED.test(name)) || (isPost && SUBJECT.test(name))) continue;
    const words = name.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? [];
    if (words.length >= LEAST_RANDOM_PARTS && name.length < SHORT_PART * words.length) continue;
    for (const word of words) {
      const lower = word.toLowerCase();
      if (!BESIDE.has(previous)) own = mergeHints(own, HINTS.get(lower) ?? 0);
      if (previous !== '') own = mergeHints(own, HINTS.get(previous + lower) ?? 0);
      previous = lower;
    }
    // The content of a user is no note about the user.
    hint = mergeHints(hint, own & POSTER && /content|text|body/i.test(name) ? own & ~POSTER : own);
  }
  return hint;
}

/** Joins two hints. The first strong role wins, a weak role counts only if there is no strong one. */
function mergeHints(a: number, b: number): number {
  const flags =
    (a | b) &
    (COMMENT |
      POSITIVE |
      HIDDEN |
      ARTICLE_BODY |
      OWN_PART |
      BYLINE |
      POSTER |
      CONSENT |
      COMMERCE |
      PRICE |
      HIDDEN_BY_NAME);
  const roleA = a & (ROLE_BITS | WEAK);
  const roleB = b & (ROLE_BITS | WEAK);
  if (roleA === 0 || (roleA & WEAK && roleB !== 0 && !(roleB & WEAK))) return flags | roleB;
  return flags | roleA;
}

function hidesElement(style: string): boolean {
  if (style.length < 12) return false;
  const compact = style.slice(0, MAX_NAME_CHARS).replaceAll(' ', '').toLowerCase();
  return compact.includes('display:none') || compact.includes('visibility:hidden');
}
