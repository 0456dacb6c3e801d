/**
 * Finds the files that a script names as files: static and dynamic imports, workers, `importScripts` and
 * `new URL(…, import.meta.url)`. The script is not parsed: a match in a comment or in a string is reported too, which
 * costs a request. One pass: the search continues where the last match was given up.
 */

/** Calls whose first argument is the URL of a script or of a file beside the script. */
const CALLS = ['importScripts', 'Worker', 'SharedWorker', 'serviceWorker.register', 'URL'] as const;
const MAX_CHARS = 2_000;

export function scanScript(script: string, found: (url: string) => void): void {
  // Most inline scripts have none of these words.
  if (script.includes('import') || script.includes('export')) {
    readStatements(script, 'import', found);
    readStatements(script, 'export', found);
  }
  for (const call of CALLS) if (script.includes(call)) readCalls(script, call, found);
}

/** `import "x"`, `import a, { b } from "x"`, `import("x")`, `export * from "x"`. */
function readStatements(script: string, word: 'import' | 'export', found: (url: string) => void): void {
  for (let at = script.indexOf(word); at >= 0; ) {
    let next = at + word.length;
    if (isWordAt(script, at, word)) {
      next = afterClause(script, next);
      const isCall = script.charCodeAt(next) === OPEN;
      if (isCall) next = afterSpace(script, next + 1);
      const isNamed = word === 'import' || script.slice(Math.max(0, next - 40), next).includes('from');
      const specifier = isNamed ? literalAt(script, next) : null;
      if (specifier !== null && isUrlLike(specifier)) found(specifier);
    }
    at = script.indexOf(word, next);
  }
}

/** The names between `import` and its string. Any other character ends the clause. */
function afterClause(script: string, from: number): number {
  let at = from;
  while (at < script.length && isClauseCode(script.charCodeAt(at))) at++;
  return at;
}

function readCalls(script: string, name: string, found: (url: string) => void): void {
  for (let at = script.indexOf(name); at >= 0; ) {
    let next = at + name.length;
    if (isWordAt(script, at, name)) {
      next = afterSpace(script, next);
      if (script.charCodeAt(next) === OPEN) {
        next = afterSpace(script, next + 1);
        const url = literalAt(script, next);
        if (url !== null && (name !== 'URL' || isBesideScript(script, next + url.length + 2))) found(url);
      }
    }
    at = script.indexOf(name, next);
  }
}

/** Whether `, import.meta.url` follows: the file is then named relative to the script. */
function isBesideScript(script: string, from: number): boolean {
  const comma = afterSpace(script, from);
  return script.charCodeAt(comma) === COMMA && script.startsWith('import.meta', afterSpace(script, comma + 1));
}

/** The string that begins at `at`; null if there is none, or if it is computed. */
function literalAt(script: string, at: number): string | null {
  const quote = script[at];
  if (quote !== '"' && quote !== "'" && quote !== '`') return null;
  const text = script.slice(at + 1, at + 1 + MAX_CHARS);
  const end = text.indexOf(quote);
  const literal = end < 0 ? '' : text.slice(0, end);
  return literal === '' || /[\\\n]|\$\{/.test(literal) ? null : literal;
}

/** A name without a path, such as `react`, is looked up in an import map. */
function isUrlLike(specifier: string): boolean {
  return /^(?:\.{0,2}\/|https?:)/.test(specifier);
}

function isWordAt(script: string, at: number, word: string): boolean {
  return !isWordCode(script.charCodeAt(at - 1)) && !isWordCode(script.charCodeAt(at + word.length));
}

function isWordCode(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code === 95 || code === 36;
}

function isClauseCode(code: number): boolean {
  return isWordCode(code) || isSpace(code) || code === COMMA || code === 42 || code === 123 || code === 125;
}

function afterSpace(script: string, from: number): number {
  let at = from;
  while (isSpace(script.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

const OPEN = 40;
const COMMA = 44;
