/** No regular expression of the program takes more than linear time, whatever its input. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkPattern, storedPatterns } from './check-pattern.ts';
import { findPatterns, type SourcePattern } from './source-patterns.ts';

const ROOT = join(import.meta.dirname, '../..');
/**
 * `--include`, `--exclude` and `--ignore` of the watcher: docs/options.md says
 * that these patterns are the user's own risk.
 */
const USER_PATTERNS = ['src/url/pattern.ts'];

/**
 * Two patterns that were in the program: a page of 22 KB took 72 s of CPU time, and a
 * script tag with many spaces stopped a watcher.
 */
const VERSION = String.raw`^(?:[\w.-]*\d[\w.-]*|[a-f]{6,64})?$`;
const SCRIPT_TYPE = String.raw`^\s*(?:module|text\/javascript\s*(?:;.*)?)?\s*$`;

async function slowOnes(patterns: readonly SourcePattern[]): Promise<string[]> {
  const slow: string[] = [];
  const stored = storedPatterns();
  const seen = new Set<string>();
  for (const pattern of patterns) {
    const text = `/${pattern.source}/${pattern.flags}`;
    if (seen.has(text)) continue;
    seen.add(text);
    const verdict = await checkPattern(pattern, stored);
    if (!verdict.isLinear) slow.push(`${pattern.place}: ${text} is ${verdict.why}`);
  }
  return slow;
}

test('every regular expression of src takes linear time', async () => {
  const { patterns, faults } = await findPatterns(ROOT, 'src', USER_PATTERNS);
  assert.deepEqual(faults, []);
  assert.ok(patterns.length > 350, `only ${patterns.length} patterns were found`);
  assert.deepEqual(await slowOnes(patterns), []);
});

test('a slow pattern is found as a literal, as a text, inside a function and as an argument', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-patterns-'));
  try {
    writeFileSync(join(folder, 'tsconfig.json'), '{"compilerOptions":{"noEmit":true},"include":["*.ts"]}');
    writeFileSync(join(folder, 'literal.ts'), `export const version = /${VERSION}/;\n`);
    writeFileSync(join(folder, 'text.ts'), `export const type = new RegExp(${JSON.stringify(SCRIPT_TYPE)}, 'i');\n`);
    writeFileSync(join(folder, 'hidden.ts'), 'export const make = (text: string) => new RegExp(text);\n');
    writeFileSync(join(folder, 'argument.ts'), "export const find = (text: string) => text.search('a+$');\n");
    const { patterns, faults } = await findPatterns(folder, '.', []);
    assert.deepEqual(
      faults.map((fault) => fault.split(' ')[0]),
      ['argument.ts:1', 'hidden.ts:1'],
    );
    const slow = await slowOnes(patterns);
    assert.deepEqual(
      slow.map((text) => text.split(':')[0]),
      ['literal.ts', 'text.ts'],
    );
    for (const text of slow) assert.match(text, /2nd degree polynomial/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
