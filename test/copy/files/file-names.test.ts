/** Tests the file names of a mirror: safe on every file system, with the right extension, without collisions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  digitsToTry,
  hostFolder,
  isExportPath,
  pathOfFile,
  proposeFile,
  relativeUrl,
} from '../../../src/copy/files/file-names.ts';
import { FilePlan } from '../../../src/copy/files/file-plan.ts';
import { TABLES_TYPE } from '../../../src/copy/files/media-types.ts';

const CAPTURE = {
  fetchedAtMs: 0,
  status: 200,
  contentType: 'text/html',
  payloadDigest: '',
  file: '',
  offset: 0,
  length: 0,
  revisit: false,
};

function fileOf(url: string, type = 'text/html'): string {
  const proposed = proposeFile(url, type);
  return pathOfFile(proposed, url, digitsToTry(proposed)[0]!);
}

function planned(urls: readonly (readonly [url: string, type: string])[]): string[] {
  const plan = new FilePlan();
  for (const [url, type] of urls) plan.addFile(url, type, CAPTURE);
  plan.assignPaths();
  const paths = urls.map(([url]) => plan.pathOf(url)!);
  plan.close();
  return paths;
}

test('plain URLs keep their paths, folders get index.html, and the type decides the extension', () => {
  const files = {
    'http://a.test/': ['text/html', 'a.test/index.html'],
    'http://a.test/docs/': ['text/html', 'a.test/docs/index.html'],
    'http://a.test/docs/page': ['text/html', 'a.test/docs/page.html'],
    'http://a.test/page.php': ['text/html', 'a.test/page.php.html'],
    'http://a.test/page.htm': ['text/html', 'a.test/page.htm'],
    'http://a.test/x.html': ['image/png', 'a.test/x.html.png'],
    'http://a.test/main.css': ['text/css', 'a.test/main.css'],
    'http://a.test/app.js': ['application/javascript', 'a.test/app.js'],
    'http://a.test/code.py': ['text/plain', 'a.test/code.py'],
    'http://a.test/README': ['text/plain', 'a.test/README.txt'],
    'http://a.test/evil.html': ['application/octet-stream', 'a.test/evil.html.bin'],
    'http://a.test/note.svg': ['text/plain', 'a.test/note.svg.txt'],
    'http://a.test:8080/z%C3%BCrich': ['text/html', 'a.test+8080/zürich.html'],
  } as const;
  for (const [url, [type, file]] of Object.entries(files)) assert.equal(fileOf(url, type), file);
});

test('a query becomes a short hash, which is the same each time and another for each query', () => {
  const [one, two] = [fileOf('http://a.test/list?page=1'), fileOf('http://a.test/list?page=2')];
  assert.match(one, /^a\.test\/list-[0-9a-f]{8}\.html$/);
  assert.equal(one, fileOf('http://a.test/list?page=1'));
  assert.notEqual(one, two);
});

test('no name is illegal, hidden, reserved, too long or outside of the folder', () => {
  const hostile = [
    'http://a.test/..%2f..%2fetc%2fpasswd',
    'http://a.test/%2e%2e/x',
    'http://a.test/a%00b%0ac',
    'http://a.test/con',
    'http://a.test/aux.txt/nul.html',
    'http://a.test/.htaccess',
    'http://a.test/.git/config',
    'http://a.test/c:%5cwindows',
    'http://a.test/trailing.%20/dot.',
    'http://a.test/%e2%80%aertl',
    'http://a.test/%ff%fe',
    'http://a.test//double//slash',
    `http://a.test/${'x'.repeat(5_000)}`,
    `http://a.test/${'deep/'.repeat(500)}x`,
    `http://a.test/${'%F0%9F%95%B7'.repeat(300)}`,
    'http://index.html/',
    'http://[::1]:80/x',
  ];
  for (const url of hostile) {
    const path = fileOf(url);
    assert.ok(isExportPath(path), path);
    assert.ok(Buffer.byteLength(path) < 250, path);
    for (const part of path.split('/')) {
      assert.doesNotMatch(part, /^\.|[<>:"\\|?*\p{C}]|[ .]$|^$|^(?:con|aux|nul|prn)(?:\.|$)/iu);
    }
  }
  assert.equal(hostFolder('http://index.html/'), '_index.html');
  for (const path of ['../x', '/etc/passwd', 'a/../b', 'a//b', 'c:/x', 'x', 'a/.hidden']) {
    assert.equal(isExportPath(path), false, path);
  }
});

test('names that differ only in case, and files with the name of a folder, give way', () => {
  const html = 'text/html';
  const [page, other, below, folder, query, sub] = planned([
    ['http://a.test/Page.html', html],
    ['http://a.test/page.html', html],
    ['http://a.test/x.html/below', html],
    ['http://a.test/x.html', html],
    ['http://a.test/s?q=1', html],
    ['http://a.test/s', html],
  ]);
  assert.equal(page, 'a.test/Page.html');
  assert.match(other!, /^a\.test\/page-[0-9a-f]{8}\.html$/);
  assert.equal(below, 'a.test/x.html/below.html');
  assert.match(folder!, /^a\.test\/x-[0-9a-f]{8}\.html$/);
  assert.match(query!, /^a\.test\/s-[0-9a-f]{8}\.html$/);
  assert.equal(sub, 'a.test/s.html');
});

test('redirects lead to the file of their target, and rings of redirects to nothing', () => {
  const plan = new FilePlan();
  plan.addFile('http://a.test/new', 'text/html', CAPTURE);
  plan.addLead('http://a.test/old', 'http://a.test/older');
  plan.addLead('http://a.test/older', 'http://a.test/new');
  plan.addLead('http://a.test/ring', 'http://a.test/ring2');
  plan.addLead('http://a.test/ring2', 'http://a.test/ring');
  plan.assignPaths();
  assert.equal(plan.pathOf('http://a.test/old'), 'a.test/new.html');
  assert.equal(plan.pathOf('http://a.test/ring'), null);
  assert.equal(plan.pathOf('http://a.test/unknown'), null);
  plan.close();
});

test('relative URLs lead from file to file', () => {
  assert.equal(relativeUrl('a/b/c.html', 'a/b/d.html'), 'd.html');
  assert.equal(relativeUrl('a/b/c.html', 'a/x.css'), '../x.css');
  assert.equal(relativeUrl('a/c.html', 'b/zü rich.html'), '../b/z%C3%BC%20rich.html');
});

test('the tables of a page have a folder of their own, which no other file of the export is in', () => {
  const urls = ['/a.html', '/a', '/a.tables', '/b.tables/1.csv', '/b', '/'].map((path) => `https://x.test${path}`);
  const paths = planned(urls.map((url) => [url, TABLES_TYPE] as const));
  assert.deepEqual(
    paths.map((path) => path.replace(/-[0-9a-f]{8}/, '-#')),
    ['a.tables', 'a-#.tables', 'a-#.tables', 'b.tables/1.csv.tables', 'b-#.tables', 'index.tables'].map(
      (path) => `x.test/${path}`,
    ),
  );
  assert.equal(hostFolder('https://index.csv/'), '_index.csv');
  assert.ok(isExportPath('x.test/a.tables/1.csv') && !isExportPath('index.csv'));
});
