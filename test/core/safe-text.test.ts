/**
 * Text for a terminal, a log or a program that reads lines: one class of characters decides, and every writer uses it.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { OrbweaverError } from '../../src/core/errors.ts';
import { safeJson, safeLines, safeText } from '../../src/core/safe-text.ts';

const C0_AND_C1 = [...range(0x00, 0x1f), ...range(0x7f, 0x9f)];
const BIDIRECTIONAL = [0x061c, 0x200e, 0x200f, ...range(0x202a, 0x202e), ...range(0x2066, 0x2069)];
const SEPARATORS = [0x2028, 0x2029];
const HALVES = [0xd800, 0xdbff, 0xdc00, 0xdfff];
const INVISIBLE = [0x00ad, 0x200b, 0xfeff, 0xe0041];
const UNSAFE = [...C0_AND_C1, ...BIDIRECTIONAL, ...SEPARATORS, ...HALVES, ...INVISIBLE].map(characterOf);
const HARMLESS = 'Grüße, 漢字, עברית, العربية, 👩 é "quoted" ＝ € “”';

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function characterOf(code: number): string {
  return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code);
}

test('unsafe characters are removed from a line, and letters of all scripts stay', () => {
  for (const character of UNSAFE) {
    assert.equal(safeText(`a${character}b`), 'a b', JSON.stringify(character));
    const expected = ['\n', '\t'].includes(character) ? `a${character}b` : 'a b';
    assert.equal(safeLines(`a${character}b`), expected, JSON.stringify(character));
  }
  assert.equal(safeText(HARMLESS), HARMLESS);
  assert.equal(safeLines(`${HARMLESS}\r\n${HARMLESS}\rx`), `${HARMLESS}\r\n${HARMLESS} x`);
  assert.equal(safeText(' \x1b[31mred\u202e\u2066 '), '[31mred');
});

test('safe JSON has the same value and is one line for every reader', () => {
  for (const character of UNSAFE) {
    const value = { [`k${character}`]: [`a${character}b`, HARMLESS] };
    const line = safeJson(value);
    assert.deepEqual(JSON.parse(line), value);
    assert.equal(safeLines(line), line, 'it has no unescaped unsafe character');
    assert.deepEqual(line.split(/[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/), [line], 'as Python splits lines');
  }
  assert.equal(safeJson({ a: '\u2028\u2029\u0085' }), '{"a":"\\u2028\\u2029\\u0085"}');
  assert.equal(safeJson({ a: HARMLESS }), JSON.stringify({ a: HARMLESS }));
});

test('the message of an error is safe to print anywhere', () => {
  const { message } = new OrbweaverError('ERR_STORE', 'the server said \x1b[2J\u009b31m\u202eno\nand more');
  assert.equal(message, 'the server said  [2J 31m no\nand more');
});

const SRC = join(import.meta.dirname, '../../src');
/**
 * Files that may write to a stream of the process: the functions that make text safe, and the
 * writers of help, version and bytes for programs.
 */
const WRITERS = [
  'cli/command-line.ts',
  'cli/commands/watch.ts',
  'cli/log.ts',
  'cli/output.ts',
  'cli/progress.ts',
  'watcher/main.ts',
  'watcher/progress-line.ts',
  'watcher/watch-command.ts',
  'watcher/watch-log.ts',
];
/** Files in the state folder of a watcher. Only the watcher reads them. */
const OWN_LINES = ['watcher/memory/journal-segment.ts', 'watcher/memory/manifest.ts'];

test('only the listed files write to the terminal or write JSON lines without escapes', () => {
  const files = globSync('**/*.ts', { cwd: SRC }).map((name) => name.replaceAll('\\', '/'));
  const writing = (pattern: RegExp) =>
    files
      .filter((name) => pattern.test(readFileSync(join(SRC, name), 'utf8')))
      .filter((name) => !name.startsWith('demo/'));
  assert.deepEqual(writing(/\bstd(?:out|err)\.write\(|\bconsole\.\w+\(|[sS]tream\.write\(/).sort(), WRITERS);
  assert.deepEqual(writing(/\$\{JSON\.stringify\(.*\}\\n`/).sort(), OWN_LINES);
});
