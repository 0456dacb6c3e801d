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

/** The text of the element may be the age of something. */
export const TIMED = 8_192;

/** The element is a link to a document, with text. */
export const LINK = 4_096;
/** With scripting, a browser reads the content of the element as text. */
export const SCRIPTLESS = 16_384;

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
const E = EMPHASIS;

/** The headings are in order, because the scan computes their level from their number. */
const GROUPS: readonly (readonly [bits: number, names: string])[] = [
  [A, 'html image video audio object'],
  [A | GATHERED | LINK, 'a'],
  [A | VOID, 'area base link frame input source track'],
  [A | VOID | X, 'meta img embed'],
  [A | RAW_TEXT, 'iframe'],
  [A | RAW_TEXT | INVISIBLE, 'script'],
  [A | FOREIGN, 'annotation-xml'],
  [A | X, 'font'],
  [RAW_TEXT | INVISIBLE, 'style'],
  [RAW_TEXT | FOREIGN, 'title'],
  [RAW_TEXT, 'xmp noembed noframes textarea plaintext'],
  [INVISIBLE, 'template'],
  [INVISIBLE | SCRIPTLESS, 'noscript'],
  [FOREIGN, 'svg math foreignobject desc mi mo mn ms mtext'],
  [B | X | GATHERED, 'h1 h2 h3 h4 h5 h6'],
  [B | VOID | X, 'br hr'],
  [VOID, 'wbr'],
  [0, 'frameset'],
  [TIMED, 'time'],
  [B, 'caption tr option'],
  [B | X, 'body p li dt dd'],
  [B | H | X, 'div center blockquote pre listing ul ol dl menu table'],
  [A | B | H, 'form'],
  [B | H, 'section article fieldset legend figure figcaption address details summary dialog search'],
  [B | H | BESIDE, 'aside nav main header footer'],
  [SPACED, 'td th'],
  [SPACED | H, 'button'],
  [H, 'label'],
  [H | X, 'span'],
  [X | E, 'b em i strong'],
  [X, 'head big code nobr ruby s small strike sub sup tt u var'],
];

export const TAGS = new NameTable(['', ...GROUPS.flatMap(([, names]) => names.split(' '))]);
export const TAG_BITS = Uint16Array.of(0, ...GROUPS.flatMap(([bits, names]) => names.split(' ').map(() => bits)));

/**
 * 1 for an element that no advertisement contains (change/noise/advertising/advertisement.ts). Unknown elements may be
 * in one.
 */
export const OUTSIDE_ADS = Uint8Array.from(TAGS.names, () => 1);
for (const name of `div span p a b i em strong small br hr center section aside img iframe script noscript style link
  source`.split(/\s+/)) {
  OUTSIDE_ADS[TAGS.id(name)] = 0;
}
OUTSIDE_ADS[0] = 0;

/**
 * The bits for a scan that reads no assets and no link texts: elements that are only assets are passed over.
 */
export const DOCUMENT_TAG_BITS = TAG_BITS.slice();
for (const name of 'image video audio object input source track img embed'.split(' ')) {
  const id = TAGS.id(name);
  DOCUMENT_TAG_BITS[id] = (DOCUMENT_TAG_BITS[id] as number) & ~A;
}

/** The last three are for feeds and sitemaps. */
export const ATTRIBUTE_NAMES = [
  '',
  ...'href src srcset imagesrcset rel alt title content name property http-equiv lang xml:lang hreflang'.split(' '),
  ...'type data poster hidden xlink:href srcdoc encoding color face size url ispermalink rdf:about'.split(' '),
];

export const ATTRIBUTES = new NameTable(ATTRIBUTE_NAMES);
