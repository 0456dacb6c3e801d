/**
 * Ids that a framework or chance gave an element. They are numbered in the order they are met, so that a label still points at its
 * field: two versions are equal only if the same things refer to the same things.
 */
import type { OutlineNode } from '../../core/page-outline.ts';
import { holdsUuid, isEpoch, looksRandom } from './looks-random.ts';
import type { NoiseLog } from './noise-log.ts';

/** What the frameworks write; the part that varies is always a number or drawn at random. */
const FRAMEWORK =
  /^(?:«r[0-9a-z]{1,6}»|_r_[0-9a-z]{1,6}_|react-(?:aria|select|tabs|collapsed|autowhatever|uid|id|\d)[\w:.-]{0,60}|radix-[\w:.-]{1,40}|headlessui-[a-z-]{1,40}-[\w:-]{1,12}|mui-\d{1,12}|ember\d{1,9}|yui_[\d_]{5,60}|ext-gen-?\d{1,9}|gwt-uid-\d{1,9}|ui-id-\d{1,9}|__BVID__\d{1,9}[\w-]{0,30}|cdk-[a-z-]{1,40}-\d{1,6}|mat-[a-z-]{1,40}-\d{1,6}|downshift-[\w:]{1,12}-[a-z-]{1,30}|tippy-\d{1,9}|popover\d{3,9}|tooltip\d{3,9}|chakra-[\w:.-]{1,40}|reach-[\w:.-]{1,40}|rc_select_\d{1,6}|el-id-\d{1,9}-\d{1,6}|elementor-tab-(?:title|content)-\d{4,6}|u_[0-9a-z]{1,4}_[0-9a-z]{1,4}(?:_[\w+/]{1,3})?|jetpack-\d{3,9}|wp-block-[a-z-]{1,30}-[0-9a-f]{8,}|uniqid-[0-9a-f]{8,}|gen-?id-?\d{1,12})$/i;

/** `:r1:` of React, alone or within a longer one. */
const REACT = /^[\w-]{0,40}:r[0-9a-z]{1,6}:[\w-]{0,40}$/i;

const REFERENCES: ReadonlySet<string> = new Set([
  'id',
  'for',
  'list',
  'form',
  'headers',
  'aria-labelledby',
  'aria-describedby',
  'aria-controls',
  'aria-owns',
  'aria-activedescendant',
  'aria-details',
  'aria-errormessage',
  'aria-flowto',
  'data-target',
  'data-bs-target',
  'popovertarget',
]);
/** Every id in a page is asked for once or twice; a hostile one is not looked at. */
const MAX_CHARS = 200;
const MIN_DRAWN_CHARS = 13;

export function refersToId(attribute: string): boolean {
  return REFERENCES.has(attribute);
}

export class GeneratedIds {
  readonly #numbers = new Map<string, string>();
  readonly #log: NoiseLog;
  readonly #nodes: readonly OutlineNode[];
  #joined: ReadonlySet<string> | null = null;

  constructor(nodes: readonly OutlineNode[], log: NoiseLog) {
    this.#nodes = nodes;
    this.#log = log;
  }

  /** The value of an attribute that names ids, several with spaces between. */
  clean(value: string): string {
    if (value.length < 3 || value.length > MAX_CHARS) return value;
    if (!value.includes(' ')) return this.#numberOf(value);
    return value
      .split(/\s+/)
      .map((id) => this.#numberOf(id))
      .join(' ');
  }

  #numberOf(written: string): string {
    const hash = written.startsWith('#') ? '#' : '';
    const id = hash === '' ? written : written.slice(1);
    if (!this.#isGenerated(id) || !this.#log.takes('generated-id', written)) return written;
    let number = this.#numbers.get(id);
    if (number === undefined) {
      number = `(id ${this.#numbers.size + 1})`;
      this.#numbers.set(id, number);
    }
    return hash + number;
  }

  #isGenerated(id: string): boolean {
    if (id.length < 3 || !/[\d:«]/.test(id)) return false;
    if (isOfFramework(id)) return true;
    if (!hasDrawnTail(id)) return false;
    this.#joined ??= joinedIds(this.#nodes);
    return this.#joined.has(id);
  }
}

/**
 * Ids drawn at random that one element has and another refers to. One that stands alone may be linked to from elsewhere, as the
 * commit of a list is, and a link to nothing leads into another page's anchors.
 */
function joinedIds(nodes: readonly OutlineNode[]): ReadonlySet<string> {
  const had = new Set<string>();
  const meant = new Set<string>();
  for (const { attributes } of nodes) {
    for (let at = 0; at < attributes.length; at += 2) {
      const value = attributes[at + 1]!;
      if (value.length < MIN_DRAWN_CHARS || value.length > MAX_CHARS) continue;
      if (attributes[at] === 'id') had.add(value);
      else if (attributes[at] === 'href' && value.startsWith('#')) meant.add(value.slice(1));
      else if (refersToId(attributes[at]!)) for (const id of value.split(/\s+/)) meant.add(id.replace(/^#/, ''));
    }
  }
  return new Set([...had].filter((id) => meant.has(id)));
}

function isOfFramework(id: string): boolean {
  return FRAMEWORK.test(id) || (id.includes(':') && REACT.test(id)) || (id.length >= 36 && holdsUuid(id));
}

/** `post-9f86d081884c7d65`, `uid-1718022334123`: behind the last dash a hash or a moment in milliseconds. */
function hasDrawnTail(id: string): boolean {
  const tail = id.slice(Math.max(id.lastIndexOf('-'), id.lastIndexOf('_')) + 1);
  return tail.length >= MIN_DRAWN_CHARS && (looksRandom(tail) || (tail.length === 13 && isEpoch(tail)));
}
