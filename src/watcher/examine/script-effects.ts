/**
 * Finds the effect of a handler: which part of the page it sets, and to which value (W4).
 *
 * In: the tokens of a handler's body. Out: the target and the value of its assignment. Without an assignment: the
 * function that it calls, and the target from that function's body if the page has it. What always holds: the work is
 * bounded and one call deep; nothing is evaluated.
 */
import {
  type ElementReference,
  noteVariable,
  readElement,
  type Scope,
  targetText,
  Variables,
} from './script-elements.ts';
import { readFunction, type ScriptFunction } from './script-functions.ts';
import { chainStart, expressionEnd, isDot, isKeyword, isPlainName, written } from './script-text.ts';
import { NAME, type ScriptTokens } from './script-tokens.ts';

export interface Effect {
  /** Empty if the target is unknown. */
  readonly target: string;
  readonly value: string;
  /**
   * The form that the handler submits, as the script names it, with an empty text if the name
   * is unknown; null if it submits no form.
   */
  readonly submits: ElementReference | null;
}

export type Functions = ReadonlyMap<string, ScriptFunction>;

const MAX_BODY_TOKENS = 4_000;
const MAX_TARGET_CHARS = 100;
/** Properties that change the visible page or the location. They are preferred to other properties. */
const SHOWN = /(?:^|\.)(?:innerHTML|outerHTML|innerText|textContent|value|src|srcdoc|href|data|nodeValue|location)$/;
/**
 * Events that a person triggers. Events of a response (`onload`, `onreadystatechange`) belong
 * to the handler that sent the request.
 */
const HANDLERS = /^on(?:dbl)?click$|^on(?:mouse|key|pointer|touch|drag|focus|blur|submit|change|input)[a-z]*$/;
/** Calls that only stop an event. */
const EVENT_CALLS = new Set(['preventDefault', 'stopPropagation', 'stopImmediatePropagation']);
/**
 * Methods that set the content of an element: the equivalent property, and which argument is the
 * value. jQuery methods count only after `$(…)`.
 */
const SETTERS: Readonly<Record<string, readonly [property: string, argument: number, ofJquery: boolean]>> = {
  html: ['innerHTML', 0, true],
  text: ['textContent', 0, true],
  load: ['innerHTML', 0, true],
  insertAdjacentHTML: ['innerHTML', 1, false],
  replaceChildren: ['innerHTML', 0, false],
};

interface Found {
  target: string;
  value: string;
}

/** Null if the handler does nothing: `return false`, `void(0)`. */
export function effectOf(body: ScriptFunction, scope: Scope, functions: Functions): Effect | null {
  const { script, from } = body;
  const seen = readBody(body, scope);
  if (seen.set !== null) return { ...seen.set, submits: seen.submits };
  if (seen.call < 0) {
    const value = seen.hasName ? written(script, from, withoutSemicolon(script, from, body.to)) : '';
    return value === '' ? null : { target: '', value, submits: seen.submits };
  }
  const close = script.pair(seen.call);
  const start = chainStart(script, seen.call - 1, from);
  const value = written(script, start, close + 1);
  const called = start === seen.call - 1 ? functions.get(script.word(start)) : undefined;
  if (called === undefined) return { target: '', value, submits: seen.submits };
  const inside = readBody(called, { elements: scope.elements, texts: argumentTexts(script, seen.call, called, scope) });
  return { target: inside.set?.target ?? '', value, submits: seen.submits ?? inside.submits };
}

/** The effect of a function that a script names as a handler: `addEventListener('click', Updateinfo)`. */
export function effectOfNamed(name: string, scope: Scope, functions: Functions): Effect {
  const called = functions.get(name);
  const inside = called === undefined ? null : readBody(called, scope);
  return {
    target: inside?.set?.target ?? '',
    value: `${name.slice(0, MAX_TARGET_CHARS)}()`,
    submits: inside?.submits ?? null,
  };
}

function readBody({ script, from, to }: ScriptFunction, scope: Scope) {
  const elements = new Variables(scope.elements);
  const inner: Scope = { elements, texts: scope.texts };
  const end = Math.min(to, from + MAX_BODY_TOKENS);
  let shown: Found | null = null;
  let other: Found | null = null;
  let submits: ElementReference | null = null;
  /** Index of the opening bracket of the first call. */
  let call = -1;
  let hasName = false;
  for (let at = from; at < end && shown === null && script.spend(); at++) {
    noteVariable(script, at, end, elements);
    if (script.kind(at) !== NAME) {
      if (!script.is(at, '=') && !script.is(at, '+=')) continue;
      const start = chainStart(script, at - 1, from);
      // A plain variable is not part of the page, but `location` is.
      if (start < 0 || (start === at - 1 && !script.is(start, 'location'))) continue;
      const target = targetText(script, start, at, inner).slice(0, MAX_TARGET_CHARS);
      const valueEnd = expressionEnd(script, at + 1, end);
      const found = { target, value: written(script, at + 1, valueEnd) };
      if (SHOWN.test(target)) shown = found;
      else other ??= found;
      continue;
    }
    const word = script.word(at);
    if (!isKeyword(word)) hasName = true;
    // The effect of a nested handler is reported for the nested event.
    const isListened = word === 'addEventListener' && HANDLERS.test(`on${script.string(at + 2)}`);
    if (isListened || (HANDLERS.test(word) && script.is(at + 1, '='))) {
      at = skipHandler(script, at, end);
      continue;
    }
    const close = script.is(at + 1, '(') ? script.pair(at + 1) : -1;
    if (close < 0 || close >= to || isKeyword(word) || EVENT_CALLS.has(word) || script.is(at - 1, 'function')) continue;
    const isMethod = isDot(script, at - 1);
    if (isMethod && (word === 'submit' || word === 'requestSubmit')) submits ??= formOf(script, at, from, inner);
    if (isMethod && Object.hasOwn(SETTERS, word)) shown = setBy(script, at, from, inner);
    if (call < 0 && chainStart(script, at, from) >= 0 && !script.is(close + 1, '.') && !script.is(close + 1, '{'))
      call = at + 1;
  }
  return { set: shown ?? other, submits, call, hasName };
}

/** The index of the last token of `onclick = function () { … }` or of `addEventListener(…)`. */
function skipHandler(script: ScriptTokens, at: number, end: number): number {
  if (script.is(at + 1, '(')) return Math.max(at + 1, script.pair(at + 1));
  const written = readFunction(script, at + 2, end);
  return written === null ? expressionEnd(script, at + 2, end) - 1 : Math.max(at + 1, written.to - 1);
}

/** `$('#text').html(x)` sets `text.innerHTML` to `x`. */
function setBy(script: ScriptTokens, method: number, from: number, scope: Scope): Found | null {
  const [property, argument, ofJquery] = SETTERS[script.word(method)]!;
  const start = chainStart(script, method - 2, from);
  if (start < 0 || (ofJquery && !script.is(start, '$') && !script.is(start, 'jQuery'))) return null;
  const target = `${targetText(script, start, method - 1, scope)}.${property}`.slice(0, MAX_TARGET_CHARS);
  const close = script.pair(method + 1);
  let at = method + 2;
  for (let skipped = 0; skipped < argument && at < close; skipped++) at = expressionEnd(script, at, close) + 1;
  // Without an argument the method reads the content and does not set it.
  return at >= close ? null : { target, value: written(script, at, expressionEnd(script, at, close)) };
}

function formOf(script: ScriptTokens, method: number, from: number, scope: Scope): ElementReference {
  const unknown = { by: 'name', text: '' } as const;
  const start = chainStart(script, method - 2, from);
  if (start < 0) return unknown;
  // `document.f`, `document.forms.f` and `document.forms['f']` use the name of the form.
  if (script.is(start, 'document')) {
    const last = script.is(method - 2, ']') ? (script.string(method - 3) ?? '') : script.word(method - 2);
    if (isPlainName(script, method - 2) || script.is(method - 2, ']')) return { by: 'name', text: last };
  }
  return readElement(script, start, method, scope)?.element ?? unknown;
}

/** The string arguments of a call, by the parameter names of the called function. */
function argumentTexts(
  script: ScriptTokens,
  open: number,
  called: ScriptFunction,
  scope: Scope,
): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const close = script.pair(open);
  let at = open + 1;
  for (const name of called.parameters) {
    if (at >= close) break;
    const end = expressionEnd(script, at, close);
    const text = end === at + 1 ? (script.string(at) ?? scope.texts.get(script.word(at))) : undefined;
    if (text !== undefined) texts.set(name, text);
    at = end + 1;
  }
  return texts;
}

function withoutSemicolon(script: ScriptTokens, from: number, to: number): number {
  let end = to;
  while (end > from && script.is(end - 1, ';')) end--;
  return end;
}
