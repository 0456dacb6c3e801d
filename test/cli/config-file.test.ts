import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readConfigFile } from '../../src/cli/named-crawl.ts';

function configured(t: TestContext, text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-config-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

test('option names may be written like flags or in camel case', (t) => {
  const path = configured(t, 'max-body: 5mb\nperHost: 3\nexclude:\n  - "*/x/*"\n  - "*/y/*"\n');
  assert.deepEqual(readConfigFile(path), { maxBody: '5mb', perHost: 3, exclude: ['*/x/*', '*/y/*'] });
});

test('a missing file is null, and an empty file has no options', (t) => {
  assert.equal(readConfigFile('/nonexistent-folder/config.yaml'), null);
  assert.deepEqual(readConfigFile(configured(t, '')), {});
  assert.deepEqual(readConfigFile(configured(t, '# nothing yet\n')), {});
});

test('a misspelt option is refused, and the message suggests the right one', (t) => {
  assert.throws(() => readConfigFile(configured(t, 'max-bdy: 1\n')), {
    code: 'ERR_UNKNOWN_OPTION',
    message: /no option "max-bdy"; did you mean max-body\?/,
  });
  assert.throws(() => readConfigFile(configured(t, 'constructor: 1\n')), { code: 'ERR_UNKNOWN_OPTION' });
});

test('a file that is not a YAML mapping is refused', (t) => {
  for (const text of ['- a\n- b\n', 'just words\n', 'a: [1\n', 'a: 1\na: 2\n']) {
    assert.throws(() => readConfigFile(configured(t, text)), { code: 'ERR_CONFIG' }, text);
  }
  assert.throws(() => readConfigFile(tmpdir()), { code: 'ERR_CONFIG' });
});

test('a file with exploding aliases is refused', (t) => {
  const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
  assert.throws(() => readConfigFile(configured(t, `a0: &a0 [x]\n${levels.join('\n')}\n`)), { code: 'ERR_CONFIG' });
  assert.throws(() => readConfigFile(configured(t, ' '.repeat(1_000_001))), {
    code: 'ERR_CONFIG',
    message: /too long/,
  });
});
