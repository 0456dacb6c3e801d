/** E5 from the web to the command line: tests that a crawl finds near duplicates and mirrors and reports them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Prose } from '../../../src/demo/prose.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { runCli } from '../../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl-here.ts';
import { assertSound, dataFolder, storedUrls } from '../stored-crawl.ts';

const PATHS = Array.from({ length: 12 }, (_, n) => `/article/${n}`);

/** Crawls two hosts with the same front page and nearly the same articles: the second host prints a date below each. */
async function crawlTwins(t: TestContext, given: Record<string, string> = {}) {
  const [first, second] = await Promise.all([startWeb({ address: '127.0.0.1' }), startWeb({ address: '127.0.0.2' })]);
  for (const [web, line] of [
    [first, ''],
    [second, '<p>Printed on 15 November</p>'],
  ] as const) {
    t.after(() => web.close());
    web.on('/robots.txt', reply('', {}, 404));
    web.on('/', reply(PATHS.map((path) => `<a href="${path}">${path}</a>`).join('\n')));
    for (const path of PATHS) web.on(path, reply(articleAt(path, line)));
  }
  const dir = dataFolder(t);
  await crawlHere(dir, [first.url('/'), second.url('/')], { patience: '0s', ...given });
  await assertSound(dir);
  return { dir, first, second, stored: await storedUrls(dir) };
}

function articleAt(path: string, line: string): string {
  return `<title>${path}</title><main><p>${new Prose(path).paragraph(20)}</p>${line}</main>`;
}

test('E5 of two pages with nearly the same text, the later is a near duplicate of the earlier', async (t) => {
  const { dir, first, second, stored } = await crawlTwins(t);
  for (const path of PATHS) {
    const twins = [first, second].map((web) => stored.get(web.url(path))!);
    const leader = twins.find(({ nearDuplicateOf }) => nearDuplicateOf === null)!;
    const { state, reason, nearDuplicateOf, similarity } = twins.find((twin) => twin !== leader)!;
    assert.deepEqual([state, reason, nearDuplicateOf], ['fetched', 'near-duplicate', leader.url], path);
    assert.ok(similarity! >= 0.8 && similarity! <= 1, `${similarity}`);
  }
  const { url, nearDuplicateOf } = [...stored.values()].find(({ reason }) => reason === 'near-duplicate')!;
  const { stdout } = await runCli('explain', url, '--dir', dir);
  assert.match(stdout, /^Note: another page has nearly the same text \[near-duplicate\]\.$/m);
  assert.ok(stdout.includes(`of its text in common with ${nearDuplicateOf}\n`), stdout);
  assert.match(stdout, /13 of 13 compared paths have the same page\./);
  const rows = (await runCli('export', '--format', 'jsonl', '--dir', dir)).stdout.trim().split('\n');
  const row = rows.map((line) => JSON.parse(line)).find((candidate) => candidate.url === url);
  assert.deepEqual(Object.keys(row).slice(-8), [
    'nearDuplicateOf',
    'similarity',
    'relevance',
    'checkedAt',
    'checks',
    'changes',
    'orphaned',
    'canonicalVerdict',
  ]);
  assert.equal(row.nearDuplicateOf, nearDuplicateOf);
});

test('status names a mirror and its original host', async (t) => {
  const { dir, first, second } = await crawlTwins(t);
  const [text, json] = await Promise.all([runCli('status', '--dir', dir), runCli('status', '--dir', dir, '--json')]);
  assert.deepEqual(JSON.parse(json.stdout).mirrors, [
    { host: second.origin, of: first.origin, same: 1 + PATHS.length, different: 0 },
  ]);
  assert.match(text.stdout, /is a mirror of/);
});

test('--near-duplicate 0 turns the detection off', async (t) => {
  const { stored } = await crawlTwins(t, { nearDuplicate: '0' });
  const reasons = new Set([...stored.values()].map(({ reason }) => reason));
  assert.deepEqual(reasons, new Set([null, 'duplicate-content', 'no-sitemap']), 'the front pages are the same');
  assert.ok([...stored.values()].every(({ similarity }) => similarity === null));
});
