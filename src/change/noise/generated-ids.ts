/**
 * Ids that a framework or chance gave an element. They are numbered in the order they are met, so that a label still points at its
 * field: two versions are equal only if the same things refer to the same things.
 */
import { isEpoch, looksRandom, UUID } from './looks-random.ts';
import type { NoiseLog } from './noise-log.ts';

/** What the frameworks write; the part that varies is always a number or drawn at random. */
const FRAMEWORK =
  /^(?:«r[0-9a-z]{1,6}»|_r_[0-9a-z]{1,6}_|react-(?:aria|select|tabs|collapsed|autowhatever|uid|id|\d)[\w:.-]{0,60}|radix-[\w:.-]{1,40}|headlessui-[a-z-]{1,40}-[\w:-]{1,12}|mui-\d{1,12}|ember\d{1,9}|yui_[\d_]{5,60}|ext-gen-?\d{1,9}|gwt-uid-\d{1,9}|ui-id-\d{1,9}|__BVID__\d{1,9}[\w-]{0,30}|cdk-[a-z-]{1,40}-\d{1,6}|mat-[a-z-]{1,40}-\d{1,6}|downshift-[\w:]{1,12}-[a-z-]{1,30}|tippy-\d{1,9}|popover\d{3,9}|tooltip\d{3,9}|chakra-[\w:.-]{1,40}|reach-[\w:.-]{1,40}|rc_select_\d{1,6}|el-id-\d{1,9}-\d{1,6}|elementor-tab-(?:title|content)-\d{4,6}|u_[0-9a-z]{1,4}_[0-9a-z]{1,4}(?:_[\w+/]{1,3})?|jetpack-\d{3,9}|wp-block-[a-z-]{1,30}-[0-9a-f]{8,}|uniqid-[0-9a-f]{8,}|gen-?id-?\d{1,12})$/i;

/** `:r1:` of React, alone or within a longer one. */
const REACT = /^[\w-]{0,40}:r[0-9a-z]{1,6}:[\w-]{0,40}$/i;

const REFERENCES: ReadonlySet<string> = new Set([
  'id',
  'for',
  'name',
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

export function refersToId(attribute: string): boolean {
  return REFERENCES.has(attribute);
}

export class GeneratedIds {
  readonly #numbers = new Map<string, string>();
  readonly #log: NoiseLog;

  constructor(log: NoiseLog) {
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
    if (!isGenerated(id) || !this.#log.takes('generated-id', written)) return written;
    let number = this.#numbers.get(id);
    if (number === undefined) {
      number = `(id ${this.#numbers.size + 1})`;
      this.#numbers.set(id, number);
    }
    return hash + number;
  }
}

function isGenerated(id: string): boolean {
  if (id.length < 3 || !/[\d:«]/.test(id)) return false;
  if (FRAMEWORK.test(id) || (id.includes(':') && REACT.test(id)) || (id.length >= 36 && UUID.test(id))) return true;
  if (id.length < 13) return false;
  // `post-9f86d081884c7d65`, `uid-1718022334123`: behind the last dash a hash or a moment in milliseconds.
  const tail = id.slice(Math.max(id.lastIndexOf('-'), id.lastIndexOf('_')) + 1);
  return tail.length >= 13 && (looksRandom(tail) || (tail.length === 13 && isEpoch(tail)));
}
