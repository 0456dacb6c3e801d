/**
 * Finds the element that an expression of a script refers to: `document.getElementById('text')`, `$('#text')`, or a
 * variable with one of these values. An element that the text alone does not show is not guessed.
 */
import { isDot, isPlainName, written } from './script-text.ts';
import type { ScriptTokens } from './script-tokens.ts';

/** An element by its id, by a selector, by its name in the script (`name`), or one of the special elements. */
export interface ElementReference {
  readonly by: 'id' | 'selector' | 'name' | 'window' | 'document' | 'body' | 'this';
  readonly text: string;
}

/** The variables that refer to elements. Variables of a function hide outer variables. */
export class Variables {
  readonly #own = new Map<string, ElementReference | null>();
  readonly #outer: Variables | null;

  constructor(outer: Variables | null = null) {
    this.#outer = outer;
  }

  get(name: string): ElementReference | undefined {
    const own = this.#own.get(name);
    return own === undefined ? this.#outer?.get(name) : (own ?? undefined);
  }

  /** Null means that the variable no longer refers to an element. */
  set(name: string, element: ElementReference | null): void {
    if (this.#own.size < MAX_VARIABLES || this.#own.has(name)) this.#own.set(name, element);
  }
}

/** The values of names at one place of a script. */
export interface Scope {
  readonly elements: Variables;
  /** String arguments of the function call, by parameter name. */
  readonly texts: ReadonlyMap<string, string>;
}

export const NO_TEXTS: Scope['texts'] = new Map();
const MAX_SELECTOR_CHARS = 80;
const MAX_VARIABLES = 2_000;
const WINDOWS = new Set(['window', 'self', 'globalThis', 'top', 'parent']);
/** Methods with one argument, and the element that the argument selects. */
const FINDERS: Readonly<Record<string, (text: string) => ElementReference>> = {
  getElementById: (id) => ({ by: 'id', text: id.slice(0, MAX_SELECTOR_CHARS) }),
  querySelector: bySelector,
  querySelectorAll: bySelector,
  getElementsByClassName: (names) => bySelector(`.${names.trim().replace(/\s+/g, '.')}`),
  getElementsByTagName: bySelector,
  getElementsByName: (name) => bySelector(`[name=${JSON.stringify(name)}]`),
};

/**
 * Reads an element at `from`. `end` is the index after it, where `.innerHTML` may follow. Null if there is no element.
 */
export function readElement(script: ScriptTokens, from: number, to: number, scope: Scope): ReadElement | null {
  const at = behindWindow(script, from, to);
  const read = readNamed(script, at, to, scope);
  return read === null && at > from ? { element: WINDOW, end: at - 1 } : read;
}

/**
 * `window.text` is `text`. This is a loop and not a recursion: a page may write `self.self.self…` any number of
 * times, which would overflow the stack.
 */
function behindWindow(script: ScriptTokens, from: number, to: number): number {
  let at = from;
  while (WINDOWS.has(script.word(at)) && isDot(script, at + 1) && at + 2 < to) at += 2;
  return at;
}

interface ReadElement {
  readonly element: ElementReference;
  readonly end: number;
}

export const WINDOW: ElementReference = { by: 'window', text: 'window' };

/** Reads an element that does not follow `window.`. */
function readNamed(script: ScriptTokens, from: number, to: number, scope: Scope): ReadElement | null {
  let at = from;
  const first = script.word(at);
  if (first === 'this') return { element: { by: 'this', text: 'this' }, end: at + 1 };
  if (!isPlainName(script, at)) return null;
  if (WINDOWS.has(first)) return { element: WINDOW, end: at + 1 };
  if ((first === '$' || first === 'jQuery') && script.is(at + 1, '(')) return readWrapped(script, at + 1, to, scope);
  if (first !== 'document') {
    const known = scope.elements.get(first);
    return { element: known ?? { by: 'name', text: first.slice(0, MAX_SELECTOR_CHARS) }, end: at + 1 };
  }
  at += 2;
  const found = isDot(script, at - 1) ? readFound(script, at, to, scope) : null;
  return found ?? { element: { by: 'document', text: 'document' }, end: from + 1 };
}

/** Reads the part after `document.`. */
function readFound(script: ScriptTokens, at: number, to: number, scope: Scope) {
  const method = script.word(at);
  if (method === 'body') return { element: { by: 'body', text: 'body' } as const, end: at + 1 };
  if (method === 'all') {
    if (isDot(script, at + 1)) return { element: { by: 'id', text: script.word(at + 2) } as const, end: at + 3 };
    const id = script.is(at + 1, '[') ? textAt(script, at + 2, scope) : null;
    return id === null ? null : { element: { by: 'id', text: id } as const, end: script.pair(at + 1) + 1 };
  }
  const finder = Object.hasOwn(FINDERS, method) ? FINDERS[method] : undefined;
  const close = script.pair(at + 1);
  if (finder === undefined || !script.is(at + 1, '(') || close < 0 || close >= to || close !== at + 3) return null;
  const text = textAt(script, at + 2, scope);
  if (text === null) return null;
  // `[0]` of a list still refers to the selector.
  const end = script.is(close + 1, '[') && script.pair(close + 1) === close + 3 ? close + 4 : close + 1;
  return { element: finder(text), end };
}

/** Reads `('#text')`, `(document)` or `(this)` after a `$`. */
function readWrapped(script: ScriptTokens, open: number, to: number, scope: Scope) {
  const close = script.pair(open);
  if (close < 0 || close > to) return null;
  const text = close === open + 2 ? textAt(script, open + 1, scope) : null;
  if (text !== null) return { element: bySelector(text), end: close + 1 };
  // The nesting is limited, so that neither `$($($(…)))` nor `$(self.$(self.$(…)))` costs time.
  const first = behindWindow(script, open + 1, close);
  if (script.is(first, '$') || script.is(first, 'jQuery')) return null;
  const inner = readElement(script, open + 1, close, scope);
  return inner === null || inner.end !== close ? null : { element: inner.element, end: close + 1 };
}

/** Records the value that a variable gets at `at`: `a = document.…`, `for (a of …)`, `….forEach(a => …)`. */
export function noteVariable(script: ScriptTokens, at: number, to: number, elements: Variables): void {
  if (script.is(at, '=') || script.is(at, 'of')) {
    if (!isPlainName(script, at - 1) || isDot(script, at - 2)) return;
    const read = readElement(script, at + 1, to, { elements, texts: NO_TEXTS });
    const name = script.word(at - 1);
    if (read !== null && read.element.by !== 'name' && !isContinued(script, read.end)) elements.set(name, read.element);
    // The variable no longer has its previous value.
    else if (elements.get(name) !== undefined) elements.set(name, null);
  } else if (script.is(at, 'forEach') && script.is(at + 1, '(') && isDot(script, at - 1) && script.is(at - 2, ')')) {
    let finder = script.pair(at - 2) - 1;
    if (isDot(script, finder - 1)) finder -= 2;
    const read = finder < 0 ? null : readElement(script, finder, to, { elements, texts: NO_TEXTS });
    if (read === null || read.end !== at - 1) return;
    let name = at + 2;
    if (script.is(name, 'function')) name++;
    if (script.is(name, '(')) name++;
    if (isPlainName(script, name)) elements.set(script.word(name), read.element);
  }
}

export function noteVariables(script: ScriptTokens, elements: Variables): void {
  for (let at = 0; at < script.count; at++) noteVariable(script, at, script.count, elements);
}

/** The string at an index, or the string that a parameter there stands for. */
export function textAt(script: ScriptTokens, at: number, scope: Scope): string | null {
  return script.string(at) ?? scope.texts.get(script.word(at)) ?? null;
}

/** The target of an assignment: `text.innerHTML` for `document.getElementById('text').innerHTML`. */
export function targetText(script: ScriptTokens, from: number, to: number, scope: Scope): string {
  const read = readElement(script, from, to, scope);
  if (read === null || read.end > to) return written(script, from, to);
  const rest = written(script, read.end, to);
  if (read.element.by === 'window') return rest.replace(/^\??\./, '');
  return read.element.text + rest.replace(/^\?\./, '.');
}

/** `#text` is the element with this id. */
export function bySelector(selector: string): ElementReference {
  const text = selector.trim().replace(/\s+/g, ' ').slice(0, MAX_SELECTOR_CHARS);
  if (/^#[\w-]+$/.test(text)) return { by: 'id', text: text.slice(1) };
  return { by: text === 'body' ? 'body' : 'selector', text };
}

function isContinued(script: ScriptTokens, at: number): boolean {
  return isDot(script, at) || script.is(at, '[') || script.is(at, '(');
}
