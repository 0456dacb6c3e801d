/**
 * Reads JSON as pages write it. In: the text of a script. Out: the objects and arrays in it. Numbers and the words true
 * and false are returned as they are written, so `19.90` and long identifiers keep their digits.
 *
 * It accepts what a strict parser rejects: comments, CDATA and HTML comment wrappers, missing and extra commas, raw
 * line ends and control characters in strings, quotes inside strings, single quotes, names without quotes, several
 * values after each other, statements around them, and a text that ends too early.
 *
 * What always holds: no exception, no recursion, linear time. Containers that are nested too deep are left out.
 */
import { readString, readWord } from './json-strings.ts';
import { skipFiller } from './skip-filler.ts';

export type JsonValue = string | null | JsonObject | JsonArray;
export type JsonArray = JsonValue[];
export type JsonObject = Map<string, JsonValue>;
export type JsonContainer = JsonObject | JsonArray;

const MAX_DEPTH = 200;

export interface JsonReading {
  /** The outermost objects and arrays, in the written order. */
  readonly roots: JsonContainer[];
  readonly isTooDeep: boolean;
}

export function readJson(text: string): JsonReading {
  return new JsonReader(text).read();
}

class JsonReader {
  readonly #text: string;
  readonly #roots: JsonContainer[] = [];
  /** The open containers, the innermost last. */
  readonly #open: JsonContainer[] = [];
  /** The names that wait for their value, one per open container. */
  readonly #names: (string | null)[] = [];
  /** The open containers beyond the allowed depth. Their content is skipped. */
  #tooDeep = 0;
  #isTooDeep = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): JsonReading {
    const text = this.#text;
    let at = 0;
    for (;;) {
      at = skipFiller(text, at);
      if (at >= text.length) break;
      const sign = text[at] as string;
      at = sign === '"' || sign === "'" ? this.#string(at) : this.#sign(sign, at);
    }
    return { roots: this.#roots, isTooDeep: this.#isTooDeep };
  }

  #sign(sign: string, at: number): number {
    switch (sign) {
      case '{':
        this.#enter(new Map());
        return at + 1;
      case '[':
        this.#enter([]);
        return at + 1;
      case '}':
      case ']':
        this.#leave(sign === ']');
        return at + 1;
      case ',':
        // `"name": ,` has no value. The name must not take the next one.
        if (this.#names.length > 0) this.#names[this.#names.length - 1] = null;
        return at + 1;
      case ':':
      case ';':
        return at + 1;
      default:
        return this.#word(at);
    }
  }

  #enter(container: JsonContainer): void {
    if (this.#tooDeep > 0 || this.#open.length >= MAX_DEPTH) {
      this.#tooDeep++;
      this.#isTooDeep = true;
      return;
    }
    if (this.#open.length === 0) this.#roots.push(container);
    else this.#put(container);
    this.#open.push(container);
    this.#names.push(null);
  }

  /** Ends the innermost container of this kind and those in it. An end without a beginning is ignored. */
  #leave(isArray: boolean): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      if (Array.isArray(this.#open[depth]) !== isArray) continue;
      this.#open.length = depth;
      this.#names.length = depth;
      return;
    }
  }

  #string(start: number): number {
    const { value, end } = readString(this.#text, start);
    this.#scalar(value, end);
    return end;
  }

  /** A number, true, false, null, or a name without quotes. */
  #word(start: number): number {
    const { word, end } = readWord(this.#text, start);
    if (this.#open.length === 0) return end;
    this.#scalar(word, end);
    return end;
  }

  #scalar(value: string | null, end: number): void {
    const innermost = this.#open.at(-1);
    if (innermost === undefined || this.#tooDeep > 0) return;
    const isName = !Array.isArray(innermost) && this.#names.at(-1) === null && this.#isBeforeColon(end);
    if (isName) this.#names[this.#names.length - 1] = value ?? 'null';
    else this.#put(value);
  }

  #isBeforeColon(end: number): boolean {
    return this.#text[skipFiller(this.#text, end)] === ':';
  }

  #put(value: JsonValue): void {
    const innermost = this.#open.at(-1) as JsonContainer;
    if (Array.isArray(innermost)) {
      innermost.push(value);
      return;
    }
    const last = this.#names.length - 1;
    const name = this.#names[last];
    // A value without a name, for example after a missing quote, has no place.
    if (typeof name === 'string') innermost.set(name, value);
    this.#names[last] = null;
  }
}
