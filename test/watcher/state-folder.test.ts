import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkStateFolder, siteFolderName } from '../../src/watcher/state-folder.ts';

test('a state folder inside a web root is refused, also behind a link', async (context) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'watcher-state-')));
  context.after(() => rm(folder, { recursive: true }));
  const root = join(folder, 'www');
  await mkdir(join(root, 'in'), { recursive: true });
  await symlink(join(root, 'in'), join(folder, 'way-in'));
  await symlink(root, join(folder, 'other-name'));
  for (const wrong of [root, join(root, 'state'), join(root, 'a', 'b'), join(folder, 'way-in', 'state')]) {
    await assert.rejects(checkStateFolder(wrong, [root]), { code: 'ERR_BAD_OPTION', message: /web root/ });
    await assert.rejects(checkStateFolder(wrong, [join(folder, 'other-name')]), { code: 'ERR_BAD_OPTION' });
  }
  for (const good of [folder, join(folder, 'state'), join(folder, 'www-state'), join(root, '..', 'x')]) {
    assert.equal(await checkStateFolder(good, [root]), join(good));
  }
});

test('W8 each site has its own folder', () => {
  const sites = ['https://a.example', 'http://a.example', 'https://a.example:8443', 'https://[::1]:80'];
  const names = sites.map(siteFolderName);
  assert.equal(new Set(names).size, sites.length);
  for (const name of names) assert.match(name, /^[\w.-]+$/);
});
