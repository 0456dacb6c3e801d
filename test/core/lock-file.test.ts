/** package-lock.json ensures that the installed packages are the tested packages, wherever they are downloaded from. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
}

const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };
const installed = Object.entries(packages).filter(([path]) => path !== '');

test('every package has a hash that npm compares with the download, on all platforms', () => {
  assert.ok(installed.length > 50);
  for (const [path, { integrity = '' }] of installed) {
    assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, `${path}: npm installs it whatever it contains`);
  }
});

test('the lock file names no registry, because each machine has its own', () => {
  for (const [path, { resolved, link }] of installed) assert.deepEqual([resolved, link], [undefined, undefined], path);
  const addresses = text.split('\n').filter((line) => /\w+:\/\//.test(line));
  for (const line of addresses)
    assert.match(line, /^\s+"url": "https:\/\/(?:github|opencollective|patreon)\.com\//, 'funding');
});
