/**
 * Tests the package as it is published: built, placed where npm would place it,
 * imported by name, its types checked from outside.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import { startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/.bin/tsc');

const PROGRAM = `
import { crawl, openCopy, OrbweaverError, refresh } from 'orbweaver';
import type { CopyChange, CrawlEvent, CrawlSettings, Page, RefreshSettings } from 'orbweaver';

const settings: CrawlSettings = { dir: 'copy', limit: '10', scope: 'host', timeout: '5s' };
const site = crawl(process.argv[2]!, settings);
let told = 0;
for await (const event of site.events()) {
  const { type }: CrawlEvent = event;
  if (event.type === 'page' && (await event.page.body()).length === event.page.bytes) told++;
  if (type === 'failed') console.log('failed');
}
const copy = await openCopy(site.dir);
const pages: Page[] = [];
for await (const page of copy.pages()) pages.push(page);
await copy.close();
console.log(told, pages.length, (await site.summary).ending);
const again: RefreshSettings = { dir: 'copy', budget: 3, keep: '90d', patience: '0s' };
const running = refresh(again);
const changes: CopyChange[] = [];
for await (const change of running) changes.push(change);
const { unchanged, ending } = await running.summary;
console.log(changes.length, unchanged, ending);
try {
  // @ts-expect-error there is no such option
  crawl('http://127.0.0.1/', { limits: 1 });
} catch (error) {
  console.log(error instanceof OrbweaverError && error.code);
}
`;

/** Makes the folder look as after `npm install` of the program. */
function install(dir: string): void {
  const installed = join(dir, 'node_modules/orbweaver');
  mkdirSync(installed, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, 'build', 'build-package.ts'), join(installed, 'dist')]);
  copyFileSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  for (const name of [...Object.keys(manifest.dependencies), '@types', 'undici-types']) {
    const link = join(dir, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(dir, 'program.ts'), PROGRAM);
}

test('the built package', async (t) => {
  const dir = dataFolder(t);
  install(dir);

  await t.test('has complete types, and its own declarations are valid', () => {
    const strict = ['--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes', '--module', 'nodenext'];
    const words = [...strict, '--target', 'es2024', '--types', 'node', '--outDir', 'built', 'program.ts'];
    assert.equal(execFileSync(TSC, words, { cwd: dir, encoding: 'utf8' }), '');
  });

  await t.test('can be imported by its name, crawls and reads the copy', async (t) => {
    const web = await startWeb();
    t.after(() => web.close());
    web.on('/*', site({ pages: 30 }).serve);
    const said = await promisify(execFile)(process.execPath, ['program.ts', web.url('/')], { cwd: dir });
    assert.deepEqual({ ...said }, { stdout: '10 10 limit\n0 3 limit\nERR_UNKNOWN_OPTION\n', stderr: '' });
  });
});
