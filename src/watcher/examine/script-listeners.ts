/**
 * The handlers that a script attaches to elements: `addEventListener`, `el.onclick =
 * …`, and the jQuery forms of both.
 */
import { EVENT_NAMES, type EventName } from '../records.ts';
import { type Effect, effectOf, effectOfNamed, type Functions } from './script-effects.ts';
import {
  bySelector,
  type ElementReference,
  NO_TEXTS,
  noteVariable,
  readElement,
  type Scope,
  type Variables,
  WINDOW,
} from './script-elements.ts';
import { readFunction } from './script-functions.ts';
import { chainStart, expressionEnd, isDot, isPlainName, written } from './script-text.ts';
import type { ScriptTokens } from './script-tokens.ts';

export interface Listener {
  readonly event: EventName;
  readonly element: ElementReference;
  readonly effect: Effect;
}

const MAX_LISTENERS = 1_000;
const MAX_NAME_CHARS = 198;
/** Event names without `on`. For a crawler, a ready document is as good as a loaded one. */
const EVENTS = new Map<string, EventName>([
  ...EVENT_NAMES.map((name) => [name.slice(2), name] as const),
  ['DOMContentLoaded', 'onload'],
  ['ready', 'onload'],
]);
const PROPERTIES = new Set<string>(EVENT_NAMES);
const JQUERY_LISTENS = new Set(['on', 'one', 'bind', 'live', 'delegate']);
const DOCUMENT: ElementReference = { by: 'document', text: 'document' };

/** Whether the script is worth reading. Most scripts attach no handlers. */
export function mayListen(text: string): boolean {
  return /addEventListener|on(?:load|click|dblclick|mouseover)|(?:jQuery|\$)\s{0,9}\(/.test(text);
}

export function listenersOf(script: ScriptTokens, functions: Functions, elements: Variables): Listener[] {
  const found: Listener[] = [];
  const scope: Scope = { elements, texts: NO_TEXTS };
  const add = (name: string, element: ElementReference | null, effect: Effect | null) => {
    const event = EVENTS.get(name);
    if (event === undefined || element === null || effect === null) return;
    // An `onload` of an unknown element belongs to a request or an image of the script. A crawler cannot trigger it.
    if (event !== 'onload' || element.by !== 'name') found.push({ event, element, effect });
  };
  for (let at = 0; at < script.count && found.length < MAX_LISTENERS; at++) {
    noteVariable(script, at, script.count, elements);
    if (PROPERTIES.has(script.word(at)) && script.is(at + 1, '=')) {
      const end = expressionEnd(script, at + 2, script.count);
      add(
        script.word(at).slice(2),
        receiverOf(script, at, scope),
        handlerEffect(script, at + 2, end, scope, functions),
      );
      continue;
    }
    if (!script.is(at + 1, '(')) continue;
    const close = script.pair(at + 1);
    if (close < 0) continue;
    const word = script.word(at);
    if (word === 'addEventListener') {
      const name = script.string(at + 2);
      if (name === null || !EVENTS.has(name) || !script.is(at + 3, ',')) continue;
      add(name, receiverOf(script, at, scope), handlerEffect(script, at + 4, close, scope, functions));
    } else if ((word === '$' || word === 'jQuery') && readFunction(script, at + 2, close) !== null) {
      add('ready', DOCUMENT, handlerEffect(script, at + 2, close, scope, functions));
    } else if (isDot(script, at - 1) && (EVENTS.has(word) || JQUERY_LISTENS.has(word))) {
      const element = wrappedReceiver(script, at, scope);
      if (element === null || close === at + 2) continue;
      if (EVENTS.has(word)) {
        const handler = lastArgument(script, at + 2, close);
        if (isHandler(script, handler, close))
          add(word, element, handlerEffect(script, handler, close, scope, functions));
        continue;
      }
      const names = script.string(at + 2);
      const handler = lastArgument(script, at + 2, close);
      if (names === null || handler === at + 2) continue;
      const within = script.is(at + 3, ',') && handler > at + 4 ? script.string(at + 4) : null;
      const effect = handlerEffect(script, handler, close, scope, functions);
      // In `click.menu` the event is `click`; `.menu` is a jQuery namespace for removing the handler.
      for (const name of names.slice(0, 200).split(/\s+/))
        add(name.split('.', 1)[0]!, within === null ? element : bySelector(within), effect);
    }
  }
  return found;
}

/**
 * The element before `.onclick` or `.addEventListener`; the window if there is no dot; an
 * empty name if the element is unknown.
 */
function receiverOf(script: ScriptTokens, at: number, scope: Scope): ElementReference | null {
  if (!isDot(script, at - 1)) return WINDOW;
  const start = chainStart(script, at - 2, 0);
  if (start < 0) return { by: 'name', text: '' };
  const read = readElement(script, start, at - 1, scope);
  return read !== null && read.end === at - 1 ? read.element : { by: 'name', text: '' };
}

/** The element in `$(…)` before a method, also with other methods in between; null if there is no `$(…)`. */
function wrappedReceiver(script: ScriptTokens, at: number, scope: Scope): ElementReference | null {
  const start = chainStart(script, at - 2, 0);
  if (start < 0 || (!script.is(start, '$') && !script.is(start, 'jQuery'))) {
    const known = start === at - 2 ? scope.elements.get(script.word(start)) : undefined;
    return known ?? null;
  }
  return readElement(script, start, at - 1, scope)?.element ?? null;
}

function lastArgument(script: ScriptTokens, from: number, close: number): number {
  let at = from;
  for (;;) {
    const end = expressionEnd(script, at, close);
    if (end >= close || !script.is(end, ',') || end + 1 >= close) return at;
    at = end + 1;
  }
}

function isHandler(script: ScriptTokens, at: number, close: number): boolean {
  return isPlainName(script, at) || readFunction(script, at, close) !== null;
}

function handlerEffect(
  script: ScriptTokens,
  at: number,
  to: number,
  scope: Scope,
  functions: Functions,
): Effect | null {
  const body = readFunction(script, at, to);
  if (body !== null) return effectOf(body, scope, functions);
  const end = expressionEnd(script, at, to);
  if (end === at + 1) return isPlainName(script, at) ? effectOfNamed(script.word(at), scope, functions) : null;
  const value = written(script, at, end);
  if (value === '') return null;
  return { target: '', value: /[)…]$/.test(value) ? value : `${value.slice(0, MAX_NAME_CHARS)}()`, submits: null };
}
