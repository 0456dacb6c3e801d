/**
 * Tests that `explain` names an ignored parameter, the evidence for it, the stand-in of a
 * URL, and the reason why a lesson was undone.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { urlKeyHex } from '../../src/url/key.ts';
import { isSpotChecked } from '../../src/url/query-parameters.ts';
import { temporaryFolder } from '../store/fresh-store.ts';
import { byPath, HOST, itemPaths, ParameterSite } from '../store/parameter-site.ts';
import { NOW_MS } from '../store/rows.ts';
import { runCli } from './setup/run-cli.ts';

/** Makes a folder in which `ref` is ignored and `/item/9?ref=a` was skipped because of it. Then calls `then`. */
async function learnedFolder(t: TestContext, then: (site: ParameterSite) => Promise<unknown>): Promise<string> {
  const dir = temporaryFolder(t);
  const store = openSqliteStore(dir, NOW_MS);
  const site = await ParameterSite.open(store);
  await store.setNote('seeds', JSON.stringify([`${HOST}/seed`]));
  await site.visit(itemPaths([1, 2, 3], ['', '?ref=a', '?ref=b', '?ref=c']), byPath);
  await site.linkLeftOut('/from', '/item/9?ref=a', '/item/9');
  await then(site);
  await store.close();
  return dir;
}

async function explained(dir: string, path: string, ...more: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCli('explain', HOST + path, '--dir', dir, ...more);
  assert.equal(stderr, '');
  assert.equal(exitCode, 0);
  return stdout;
}

const EVIDENCE =
  /The parameter ref of http:\/\/a\.test\/item\/\* does not change the content: 8 pairs of 3 pages were the same with and without it, and 2 later checks found the same\./;

test('explain of a skipped variant shows the ignored parameter, the evidence and the URL that is fetched', async (t) => {
  const dir = await learnedFolder(t, (site) => site.visit(['/item/5', '/item/5?ref=x'], byPath));
  const text = await explained(dir, '/item/9?ref=a');
  assert.match(
    text,
    /Not fetched: .* \[ignored-parameter\]\.\nInstead, this URL is fetched: http:\/\/a\.test\/item\/9\n/,
  );
  assert.match(text, EVIDENCE);
  const { reason, instead, parameters } = JSON.parse(await explained(dir, '/item/9?ref=a', '--json'));
  assert.deepEqual([reason, instead], ['ignored-parameter', `${HOST}/item/9`]);
  assert.deepEqual(parameters, [
    { space: '/item/*', name: 'ref', verdict: 'ignored', pairs: 8, pages: 3, audits: 2, contradictedBy: null },
  ]);
});

test('an unknown variant would be left out, unless it is part of the sample', async (t) => {
  const dir = await learnedFolder(t, (site) => site.visit(['/item/5', '/item/5?ref=x'], byPath));
  const values = Array.from({ length: 500 }, (_, i) => `/item/7?ref=v${i}`);
  const [leftOut, sampled] = [false, true].map((wanted) =>
    values.find((path) => isSpotChecked(urlKeyHex(HOST + path)) === wanted),
  );
  const text = await explained(dir, leftOut!);
  assert.match(
    text,
    /would not fetch it: .* \[ignored-parameter\]\.\nInstead, this URL would be fetched: http:\/\/a\.test\/item\/7\n/,
  );
  assert.match(text, EVIDENCE);
  assert.match(
    await explained(dir, sampled!),
    /This crawl does not know the URL: it was not found on any page so far\./,
  );
});

test('after a lesson was revoked, its URLs wait, and explain names the page that refuted it', async (t) => {
  const dir = await learnedFolder(t, (site) => site.visit(['/item/5', '/item/5?ref=x'], (path) => path));
  const text = await explained(dir, '/item/9?ref=a');
  assert.match(text, /Waiting for its turn/);
  assert.match(
    text,
    /seemed not to change the content .*, but http:\/\/a\.test\/item\/5\?ref=x showed that it does\. It is no/,
  );
});
