/** Installs packages without starting their services. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutServices } from '../../testbed/servers/system-packages.ts';
import { temporaryFolder } from '../store/fresh-store.ts';

test('no service may start while a package is installed, and afterwards everything is as before', async (t) => {
  const policy = join(temporaryFolder(t), 'policy');
  const forbidden = await withoutServices(async () => {
    assert.throws(() => execFileSync(policy), { status: 101 });
    return 'installed';
  }, policy);
  assert.equal(forbidden, 'installed');
  assert.equal(existsSync(policy), false);
  await assert.rejects(
    withoutServices(() => Promise.reject(new Error('no network')), policy),
    /no network/,
  );
  assert.equal(existsSync(policy), false);
});

test('an existing policy file is not changed', async (t) => {
  const policy = join(temporaryFolder(t), 'policy');
  writeFileSync(policy, 'theirs');
  await withoutServices(async () => assert.equal(readFileSync(policy, 'utf8'), 'theirs'), policy);
  assert.equal(readFileSync(policy, 'utf8'), 'theirs');
});
