/** The named functions that the inline scripts of a page define, and function expressions where they are used. */
import { expressionEnd, isDot, isPlainName } from './script-text.ts';
import type { ScriptTokens } from './script-tokens.ts';

export interface ScriptFunction {
  readonly script: ScriptTokens;
  readonly parameters: readonly string[];
  /** The body, without the braces. */
  readonly from: number;
  readonly to: number;
}

const MAX_FUNCTIONS = 5_000;
const MAX_PARAMETERS = 16;

/** Adds the functions of a script. If two have the same name, the last one counts, as in a browser. */
export function noteFunctions(script: ScriptTokens, functions: Map<string, ScriptFunction>): void {
  for (let at = 0; at < script.count && functions.size < MAX_FUNCTIONS; at++) {
    if (script.is(at, 'function') && isPlainName(script, at + 1) && script.is(at + 2, '(')) {
      const found = readFunction(script, at, script.count);
      if (found !== null) functions.set(script.word(at + 1), found);
    } else if (
      script.is(at, '=') &&
      isPlainName(script, at - 1) &&
      (!isDot(script, at - 2) || script.is(at - 3, 'window'))
    ) {
      const found = readFunction(script, at + 1, script.count);
      if (found !== null) functions.set(script.word(at - 1), found);
    }
  }
}

/** Reads the function at `start`, as an expression or with a name; null if there is no function. */
export function readFunction(script: ScriptTokens, start: number, to: number): ScriptFunction | null {
  let at = script.is(start, 'async') ? start + 1 : start;
  if (script.is(at, 'function')) {
    at++;
    if (script.is(at, '*')) at++;
    if (isPlainName(script, at)) at++;
    if (!script.is(at, '(')) return null;
    const close = script.pair(at);
    return close < 0 || !script.is(close + 1, '{')
      ? null
      : bodyOf(script, parametersOf(script, at, close), close + 1, to);
  }
  if (isPlainName(script, at) && script.is(at + 1, '=>')) return bodyOf(script, [script.word(at)], at + 2, to);
  if (!script.is(at, '(')) return null;
  const close = script.pair(at);
  return close < 0 || !script.is(close + 1, '=>')
    ? null
    : bodyOf(script, parametersOf(script, at, close), close + 2, to);
}

function bodyOf(script: ScriptTokens, parameters: readonly string[], at: number, to: number): ScriptFunction | null {
  if (at >= to) return null;
  if (!script.is(at, '{')) return { script, parameters, from: at, to: expressionEnd(script, at, to) };
  const close = script.pair(at);
  return { script, parameters, from: at + 1, to: close < 0 ? to : Math.min(close, to) };
}

function parametersOf(script: ScriptTokens, open: number, close: number): string[] {
  const names: string[] = [];
  for (let at = open + 1; at < close && names.length < MAX_PARAMETERS; ) {
    names.push(script.word(at));
    at = expressionEnd(script, at, close) + 1;
  }
  return names;
}
