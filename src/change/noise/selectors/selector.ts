/**
 * Parses the selectors of the configuration, a small part of CSS: `tag`, `#id`, `.class`, `[attr]`, `[attr=value]`, a
 * space for "anywhere below", `>` for "directly below", and a comma for "or". Unknown syntax is refused, never guessed.
 */
import { OrbweaverError } from '../../../core/errors.ts';

export interface Selector {
  /** The selector as written, for messages. */
  readonly text: string;
  /** The alternatives. An element is selected if one of them matches. */
  readonly paths: readonly SelectorPath[];
}

/** The steps from the outermost element to the selected element. */
export type SelectorPath = readonly SelectorStep[];

export interface SelectorStep {
  /** The relation to the step before. The first step matches anywhere. */
  readonly below: 'anywhere' | 'directly';
  /** The tag name, or '' for any. */
  readonly name: string;
  readonly classes: readonly string[];
  /** The required attributes. `#id` is stored as an attribute. A null value matches any value. */
  readonly attributes: readonly { readonly name: string; readonly value: string | null }[];
}

const MAX_CHARS = 1_000;
/** The matcher stores the steps of a path as bits of one number. */
export const MAX_STEPS = 16;

const NAME = /[a-z_\u0080-\uffff-][\w\u0080-\uffff-]*/iy;
const VALUE = /"([^"\\]*)"|'([^'\\]*)'|([^\s"'\]\\]+)/y;

export function parseSelector(text: string): Selector {
  if (text.length > MAX_CHARS) throw refused(text.slice(0, 60), `is longer than ${MAX_CHARS} characters`);
  return { text, paths: new SelectorReader(text).paths() };
}

function refused(text: string, why: string): OrbweaverError {
  return new OrbweaverError('ERR_BAD_OPTION', `The selector "${text}" ${why}.`);
}

class SelectorReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  paths(): SelectorPath[] {
    const paths: SelectorPath[] = [];
    do {
      paths.push(this.#path());
    } while (this.#take(','));
    if (this.#at < this.#text.length) throw this.#unknown();
    return paths;
  }

  #path(): SelectorPath {
    const steps: SelectorStep[] = [];
    this.#skipSpace();
    let below: SelectorStep['below'] = 'anywhere';
    for (;;) {
      steps.push(this.#step(below));
      if (steps.length > MAX_STEPS) throw refused(this.#text, `has more than ${MAX_STEPS} steps`);
      const hasSpace = this.#skipSpace();
      if (this.#take('>')) below = 'directly';
      else if (hasSpace && this.#at < this.#text.length && this.#text[this.#at] !== ',') below = 'anywhere';
      else return steps;
      this.#skipSpace();
    }
  }

  #step(below: SelectorStep['below']): SelectorStep {
    const start = this.#at;
    const isAny = this.#take('*');
    const name = isAny ? '' : (this.#match(NAME)?.[0].toLowerCase() ?? '');
    const classes: string[] = [];
    const attributes: { name: string; value: string | null }[] = [];
    for (;;) {
      if (this.#take('.')) classes.push(this.#named('a class'));
      else if (this.#take('#')) attributes.push({ name: 'id', value: this.#named('an id') });
      else if (this.#take('[')) attributes.push(this.#attribute());
      else break;
    }
    if (this.#at === start) {
      throw this.#at < this.#text.length
        ? this.#unknown()
        : refused(this.#text, 'ends where a tag, .class, #id or [attribute] is expected');
    }
    if (isAny && classes.length === 0 && attributes.length === 0)
      throw refused(this.#text, 'would match every element; name a tag, a class, an id or an attribute');
    return { below, name, classes, attributes };
  }

  #attribute(): { name: string; value: string | null } {
    this.#skipSpace();
    const name = this.#named('an attribute').toLowerCase();
    this.#skipSpace();
    let value: string | null = null;
    if (this.#take('=')) {
      this.#skipSpace();
      const found = this.#match(VALUE);
      if (found === null) throw refused(this.#text, `has no value after "${name}="`);
      value = found[1] ?? found[2] ?? found[3]!;
      this.#skipSpace();
    }
    if (!this.#take(']')) {
      throw this.#at < this.#text.length ? this.#unknown() : refused(this.#text, 'has a "[" without a "]"');
    }
    return { name, value };
  }

  #named(what: string): string {
    const found = this.#match(NAME);
    if (found === null) throw refused(this.#text, `needs the name of ${what} at character ${this.#at + 1}`);
    return found[0];
  }

  #unknown(): OrbweaverError {
    const sign = this.#text[this.#at]!;
    const known = 'use tag, #id, .class, [attr], [attr=value], space, > and comma';
    return refused(this.#text, `has "${sign}" at character ${this.#at + 1}, which is not supported here; ${known}`);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): boolean {
    const start = this.#at;
    while (this.#at < this.#text.length && /\s/.test(this.#text[this.#at]!)) this.#at++;
    return this.#at > start;
  }
}
