/** Kills and interrupts processes while they write the search index, and checks what the next one makes of it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { startLivingSite } from '../../../../testbed/web/living-site.ts';
import { runCli } from '../../../cli/setup/run-cli.ts';
import { MAIN } from '../../../setup/built-program.ts';
import { crawlHere } from '../../crawl-here.ts';
import { dataFolder } from '../../stored-crawl.ts';
import { indexedAnew, indexHere, lasting } from './indexed-pages.ts';

const PAGES = 400;
const KILLS = 4;

test('C12 after kill -9 while an index is made, the next run continues, and nothing is missing or left over', async (t) => {
  const site = await startLivingSite(t);
  const paths = Array.from({ length: PAGES }, (_, i) => `/page-${i}`);
  site.set('/', `<title>Front</title>${paths.map((path) => `<a href="${path}">${path}</a> `).join('')}`);
  for (const [i, path] of paths.entries()) site.set(path, `<title>${i}</title><p>Page ${i} of the orb weavers.</p>`);
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', search: false });
  const expected = await indexedAnew(t, dir);
  assert.equal(expected.length, PAGES + 1);
  const startMs = performance.now();
  assert.equal((await runCli('index', '--rebuild', '--dir', dir)).exitCode, 0);
  const tookMs = performance.now() - startMs;
  for (let kill = 1; kill <= KILLS; kill++) {
    const child = spawn(process.execPath, [MAIN, 'index', '--rebuild', '--dir', dir], { stdio: 'ignore', env: {} });
    const ended = new Promise((resolve) => child.on('close', resolve));
    setTimeout(() => child.kill('SIGKILL'), (kill / (KILLS + 1)) * tookMs);
    await ended;
  }
  assert.equal((await indexHere(dir)).followers[0]!.isDone, true);
  assert.deepEqual(lasting(dir), expected);

  // Ctrl-C ends the work at once, and the next run continues.
  const child = spawn(process.execPath, [MAIN, 'index', '--rebuild', '--dir', dir], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {},
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  setTimeout(() => child.kill('SIGINT'), tookMs / 2);
  assert.ok([0, 11, null].includes(await ended));
  assert.equal((await indexHere(dir)).pages, expected.length);
  assert.deepEqual(lasting(dir), expected);
});
