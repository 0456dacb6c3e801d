/**
 * The element and attribute names that the scanner knows, as small numbers. A name is hashed while its end
 * is searched. Recognizing a tag then costs one table look-up and no substring. Cutting out and interning
 * every tag name would cost more than the rest of the scan.
 */

// Bits that describe an element to the scan.
/** The scan reads the attributes of the element. */
export const READS_ATTRIBUTES = 1;
/** The content of the element is not markup. Only its own end tag ends it (script, style, title …). */
export const RAW_TEXT = 2;
/** The element starts a new line of visible text. */
export const BLOCK = 4;
/** The content of the element is not visible text. */
export const INVISIBLE = 8;
/** The element may have `hidden`. Its end tag cannot be omitted, so its end is known without a tree. */
export const HIDEABLE = 16;
/** In svg and math, the element ends the foreign content (HTML standard 13.2.6.5). */
export const BREAKS_OUT = 32;
/** The element opens or closes foreign content, or an integration point, where HTML begins again. */
export const FOREIGN = 64;
/** The element has no content and no end tag. */
export const VOID = 128;
/** The element separates words, but not lines. */
export const SPACED = 256;
/** The scan collects the text of the element: anchors and headings. */
export const GATHERED = 512;
/** The element is bold or italic, and so are the links in it (E6). */
export const EMPHASIS = 1024;
/**
 * The element is beside the content of the page (navigation and similar), or is `<main>`, which contains the content.
 */
export const BESIDE = 2048;

/** The known names fill only a small part of these slots, so that most look-ups end at the first slot. */
const SLOT_BITS = 12;
const LAST_SLOT = (1 << SLOT_BITS) - 1;
/**
 * Up to this length, the hash is the name itself, with eight bits per letter. A control
 * code may look like a digit, which does no harm.
 */
const EXACT_CHARS = 4;
export class NameTable {
  readonly names: readonly string[];
  readonly #slots = new Uint8Array(LAST_SLOT + 1);
  readonly #hashes: Int32Array;
  readonly #lengths: Uint8Array;
  /** All names in one buffer, and the offset of each name. */
  readonly #letters: Buffer;
  readonly #starts: Uint16Array;

  /** `names[0]` stands for every unknown name. */
  constructor(names: readonly string[]) {
    this.names = names;
    this.#hashes = Int32Array.from(names, hashOf);
    this.#lengths = Uint8Array.from(names, (name) => name.length);
    this.#letters = Buffer.from(names.join(''), 'latin1');
    this.#starts = new Uint16Array(names.length);
    for (let id = 1; id < names.length; id++) {
      this.#starts[id] = (this.#starts[id - 1] as number) + (this.#lengths[id - 1] as number);
      let slot = slotOf(this.#hashes[id] as number);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & LAST_SLOT;
      this.#slots[slot] = id;
    }
  }

  /**
   * The number of the name at `from`–`to`, or 0 if it is unknown. `hash` is the result of
   * `hashStep` over the name. Case does not matter.
   */
  find(bytes: Buffer, from: number, to: number, hash: number): number {
    let slot = slotOf(hash);
    for (;;) {
      const id = this.#slots[slot] as number;
      if (id === 0 || (this.#hashes[id] === hash && this.#isName(bytes, from, to, id))) return id;
      slot = (slot + 1) & LAST_SLOT;
    }
  }

  #isName(bytes: Buffer, from: number, to: number, id: number): boolean {
    const length = this.#lengths[id] as number;
    if (length !== to - from) return false;
    if (length <= EXACT_CHARS) return true;
    const start = this.#starts[id] as number;
    for (let i = 0; i < length; i++) {
      const code = bytes[from + i] as number;
      const wanted = this.#letters[start + i] as number;
      if (code !== wanted && !(code + 32 === wanted && code >= 65 && code <= 90)) return false;
    }
    return true;
  }

  /** The number of a name that is known to be in the table. Used to build the tables in this folder. */
  id(name: string): number {
    return this.names.indexOf(name);
  }
}

/** Adds one letter of a name to the hash. `| 0x20` maps upper case letters to lower case. */
export function hashStep(hash: number, code: number): number {
  return (hash << 8) ^ (code | 0x20);
}

function hashOf(name: string): number {
  let hash = 0;
  for (let at = 0; at < name.length; at++) hash = hashStep(hash, name.charCodeAt(at));
  return hash;
}

function slotOf(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

/**
 * Whether the text at `from` equals `lower` when case is ignored. `lower` is in lower
 * case. ASCII only, as the standard requires.
 */
export function equalsLowerCase(html: string, from: number, lower: string): boolean {
  if (from + lower.length > html.length) return false;
  for (let i = 0; i < lower.length; i++) {
    const code = html.charCodeAt(from + i);
    const wanted = lower.charCodeAt(i);
    if (code !== wanted && !(code + 32 === wanted && code >= 65 && code <= 90)) return false;
  }
  return true;
}

const A = READS_ATTRIBUTES;
const B = BLOCK;
const H = HIDEABLE;
const X = BREAKS_OUT;
const G = GATHERED;
const E = EMPHASIS;

const ELEMENTS: Record<string, number> = {
  '': 0,
  a: A | G,
  area: A | VOID,
  base: A | VOID,
  link: A | VOID,
  meta: A | VOID | X,
  html: A,
  iframe: A | RAW_TEXT,
  frame: A | VOID,
  img: A | VOID | X,
  image: A,
  input: A | VOID,
  source: A | VOID,
  track: A | VOID,
  video: A,
  audio: A,
  embed: A | VOID | X,
  object: A,
  script: A | RAW_TEXT | INVISIBLE,
  style: RAW_TEXT | INVISIBLE,
  xmp: RAW_TEXT,
  noembed: RAW_TEXT,
  noframes: RAW_TEXT,
  title: RAW_TEXT | FOREIGN,
  textarea: RAW_TEXT,
  plaintext: RAW_TEXT,
  template: INVISIBLE,
  noscript: INVISIBLE,
  head: X,
  body: B | X,
  h1: B | X | G,
  h2: B | X | G,
  h3: B | X | G,
  h4: B | X | G,
  h5: B | X | G,
  h6: B | X | G,
  svg: FOREIGN,
  math: FOREIGN,
  foreignobject: FOREIGN,
  desc: FOREIGN,
  mi: FOREIGN,
  mo: FOREIGN,
  mn: FOREIGN,
  ms: FOREIGN,
  mtext: FOREIGN,
  'annotation-xml': A | FOREIGN,
  font: A | X,
  br: B | VOID | X,
  hr: B | VOID | X,
  wbr: VOID,
  p: B | X,
  div: B | H | X,
  center: B | H | X,
  blockquote: B | H | X,
  pre: B | H | X,
  listing: B | H | X,
  ul: B | H | X,
  ol: B | H | X,
  dl: B | H | X,
  menu: B | H | X,
  li: B | X,
  dt: B | X,
  dd: B | X,
  table: B | H | X,
  caption: B,
  tr: B,
  td: SPACED,
  th: SPACED,
  option: B,
  section: B | H,
  article: B | H,
  aside: B | H | BESIDE,
  nav: B | H | BESIDE,
  main: B | H | BESIDE,
  header: B | H | BESIDE,
  footer: B | H | BESIDE,
  form: B | H,
  fieldset: B | H,
  legend: B | H,
  figure: B | H,
  figcaption: B | H,
  address: B | H,
  details: B | H,
  summary: B | H,
  dialog: B | H,
  search: B | H,
  button: SPACED | H,
  label: H,
  span: H | X,
  b: X | E,
  big: X,
  code: X,
  em: X | E,
  i: X | E,
  nobr: X,
  ruby: X,
  s: X,
  small: X,
  strike: X,
  strong: X | E,
  sub: X,
  sup: X,
  tt: X,
  u: X,
  var: X,
};

export const TAGS = new NameTable(Object.keys(ELEMENTS));
export const TAG_BITS = Uint16Array.from(Object.values(ELEMENTS));

export const ATTRIBUTE_NAMES = [
  '',
  'href',
  'src',
  'srcset',
  'imagesrcset',
  'rel',
  'alt',
  'title',
  'content',
  'name',
  'property',
  'http-equiv',
  'lang',
  'xml:lang',
  'hreflang',
  'type',
  'data',
  'poster',
  'hidden',
  'xlink:href',
  'encoding',
  'color',
  'face',
  'size',
  // For feeds and sitemaps.
  'url',
  'ispermalink',
  'rdf:about',
] as const;

export const ATTRIBUTES = new NameTable(ATTRIBUTE_NAMES);
