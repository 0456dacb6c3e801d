/** Comments are sentences that fit on a screen: no line over 120 columns, and no fragment that starts with "Of". */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..', '..');
const COMMENT = /^\s*(?:\/\*|\*|\/\/)/;
const FRAGMENT = /^\s*(?:\/\*\*?|\/\/) Of /;

test('comments in src have at most 120 columns and are no fragments', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: ROOT });
  assert.ok(files.length > 500);
  const wrong: string[] = [];
  for (const file of files) {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
    for (const [at, line] of lines.entries()) {
      if (COMMENT.test(line) && (line.length > 120 || FRAGMENT.test(line))) wrong.push(`${file}:${at + 1}`);
    }
  }
  assert.deepEqual(wrong, []);
});
