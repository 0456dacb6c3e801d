import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNeverExtension, whyNeverFile, whyNeverFolder } from '../../../src/watcher/site/never-reported.ts';
import { ASSET_EXTENSIONS, PAGE_EXTENSIONS } from '../../../src/watcher/site/site-rules.ts';

test('executed, private and leftover files are never reported', () => {
  const never = [
    ...['.env', '.htaccess', '.htpasswd', '.index.html.Xa3f9Z', '.git', '.#a.html', '.DS_Store', '.nfs0001', '..html'],
    ...['index.php', 'x.PHTML', 'a.asp', 'a.aspx', 'a.jsp', 'a.cgi', 'a.pl', 'a.py', 'a.rb', 'a.shtml', 'a.inc'],
    ...['a.ts', 'a.tsx', 'a.vue', 'a.scss', 'a.less', 'a.js.map', 'Makefile', 'Dockerfile', 'package.json'],
    ...['composer.json', 'composer.lock', 'yarn.lock', 'a.yml', 'a.toml', 'a.ini', 'a.conf', 'web.config', 'Web.XML'],
    ...['a.html~', 'a.html.bak', 'a.html.orig', 'a.swp', 'a.html.tmp', 'a.html.part', 'a.html.filepart', 'a.html~tmp'],
    ...['#a.html#', '~$a.docx', 'a.html___jb_tmp___', 'Thumbs.db', 'desktop.ini', 'a.html.crdownload', 'a.OLD'],
    ...['dump.sql', 'a.sqlite', 'a.db', 'a.log', 'server.key', 'a.pem', 'a.crt', 'id.p12', 'backup.tar.gz', 'site.zip'],
  ];
  for (const name of never) assert.notEqual(whyNeverFile(name), null, name);
});

test('pages with similar names are reported', () => {
  for (const name of [
    'index.html',
    'old.html',
    'php.html',
    'backup.html',
    'foo.py.html',
    'env.txt',
    'a.key.html',
    'tmp.pdf',
    'a~b.html',
    '#1.html',
  ])
    assert.equal(whyNeverFile(name), null, name);
});

test('folders of programs and hidden folders are not entered; other folders are', () => {
  for (const name of [
    '.git',
    '.svn',
    '.well-known',
    'node_modules',
    'CVS',
    '__pycache__',
    'WEB-INF',
    'cgi-bin',
    '$RECYCLE.BIN',
  ])
    assert.notEqual(whyNeverFolder(name), null, name);
  for (const name of ['docs', 'vendor', 'backup', 'src', 'test', 'git', 'modules'])
    assert.equal(whyNeverFolder(name), null, name);
});

test('no type is both a page and never reported', () => {
  for (const extension of [...PAGE_EXTENSIONS, ...ASSET_EXTENSIONS])
    assert.equal(whyNeverExtension(extension), null, extension);
});
