import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ScriptTokens } from '../../../src/watcher/examine/script-tokens.ts';

function words(text: string): string[] {
  const script = new ScriptTokens(text);
  return Array.from({ length: script.count }, (_, index) => script.word(index));
}

test('adjacent characters of one operator are one token', () => {
  assert.deepEqual(words('a=b==c===d!=e!==f<=g>=h=>i+=j?.k...l++'), [
    ...[
      'a',
      '=',
      'b',
      '==',
      'c',
      '===',
      'd',
      '!=',
      'e',
      '!==',
      'f',
      '<=',
      'g',
      '>=',
      'h',
      '=>',
      'i',
      '+=',
      'j',
      '?.',
      'k',
      '...',
      'l',
      '++',
    ],
  ]);
});

test('the token before a slash decides between division and regular expression', () => {
  assert.deepEqual(words('a/b/c'), ['a', '/', 'b', '/', 'c']);
  assert.deepEqual(words('a=/b/g.c'), ['a', '=', '/b/g', '.', 'c']);
  assert.deepEqual(words('return/[/]/.d'), ['return', '/[/]/', '.', 'd']);
  assert.deepEqual(words('(a)/b/c'), ['(', 'a', ')', '/', 'b', '/', 'c']);
});

test('the content of strings, templates and comments is not tokenised', () => {
  assert.deepEqual(words(`"a\\"b" 'c' /* d */ e // f\n g`), ['"a\\"b"', "'c'", 'e', 'g']);
  const template = ['`a $', '{b + `c $', "{'}'}`} d`"].join('');
  assert.deepEqual(words(`${template} e`), [template, 'e']);
  assert.deepEqual(words('<!-- a\n b'), ['b']);
});

test('all brackets of real scripts are paired', () => {
  const folder = join(import.meta.dirname, '../../../node_modules');
  const files = globSync('{undici,parse5,yaml,entities}/**/*.js', { cwd: folder }).sort();
  assert.ok(files.length > 100, `${files.length}`);
  for (const file of files) {
    const script = new ScriptTokens(readFileSync(join(folder, file), 'utf8'));
    for (let index = 0; index < script.count; index++) {
      if (/^[()[\]{}]$/.test(script.word(index))) assert.notEqual(script.pair(index), -1, `${file}: ${index}`);
    }
  }
});
