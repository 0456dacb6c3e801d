/**
 * Replaces element ids that a framework generated or that are random. The ids are numbered in the order of the page, so
 * that a label still points to its field. Two versions are equal only if the same elements refer to each other.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { holdsUuid, isEpoch, looksRandom } from './looks-random.ts';
import type { NoiseLog } from './noise-log.ts';

/** Id patterns of frameworks. The variable part is always a number or random. */
const FRAMEWORK =
  /^(?:«r[0-9a-z]{1,6}»|_r_[0-9a-z]{1,6}_|react-(?:aria|select|tabs|collapsed|autowhatever|uid|id|\d)[\w:.-]{0,60}|radix-[\w:.-]{1,40}|headlessui-[a-z-]{1,40}-[\w:-]{1,12}|mui-\d{1,12}|ember\d{1,9}|yui_[\d_]{5,60}|ext-gen-?\d{1,9}|gwt-uid-\d{1,9}|ui-id-\d{1,9}|__BVID__\d{1,9}[\w-]{0,30}|cdk-[a-z-]{1,40}-\d{1,6}|mat-[a-z-]{1,40}-\d{1,6}|downshift-[\w:]{1,12}-[a-z-]{1,30}|tippy-\d{1,9}|popover\d{3,9}|tooltip\d{3,9}|chakra-[\w:.-]{1,40}|reach-[\w:.-]{1,40}|rc_select_\d{1,6}|el-id-\d{1,9}-\d{1,6}|elementor-tab-(?:title|content)-\d{4,6}|u_[0-9a-z]{1,4}_[0-9a-z]{1,4}(?:_[\w+/]{1,3})?|jetpack-\d{3,9}|wp-block-[a-z-]{1,30}-[0-9a-f]{8,}|uniqid-[0-9a-f]{8,}|gen-?id-?\d{1,12})$/i;

/** `:r1:` of React, alone or within a longer id. */
const REACT = /^[\w-]{0,40}:r[0-9a-z]{1,6}:[\w-]{0,40}$/i;

const REFERENCES: ReadonlySet<string> = new Set(
  `id for list form headers aria-labelledby aria-describedby aria-controls aria-owns aria-activedescendant
  aria-details aria-errormessage aria-flowto data-target data-bs-target popovertarget`.split(/\s+/),
);
/** Every id of a page is checked once or twice. A longer one is hostile and is not checked. */
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

  /** Cleans the value of an attribute that names ids, separated by spaces. */
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
 * Random ids that one element has and another element refers to. A random id without a reference may be linked from
 * another page, like a commit in a list. A reference without an element leads to an anchor of another page.
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

/** Whether a hash or a time in milliseconds follows the last dash: `post-9f86d081884c7d65`, `uid-1718022334123`. */
function hasDrawnTail(id: string): boolean {
  const tail = id.slice(Math.max(id.lastIndexOf('-'), id.lastIndexOf('_')) + 1);
  return tail.length >= MIN_DRAWN_CHARS && (looksRandom(tail) || (tail.length === 13 && isEpoch(tail)));
}
