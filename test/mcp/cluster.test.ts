/** A copy in a database: a worker logs JSON lines, and a model reads what it has crawled. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SITE_PAGES, site } from '../cli/setup/cluster-site.ts';
import { runCliIn } from '../cli/setup/run-cli.ts';
import { noPostgres, testDatabase } from '../setup/postgres.ts';
import { ModelClient } from './mcp-client.ts';

test('M6 a worker logs JSON lines, and a model reads the copy in the database', { skip: noPostgres }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-mcp-cluster-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const env = { ORBWEAVER_STORE: await testDatabase(t) };
  const seed = await site(t);
  const own = ['--name', 'model', '--dir', dir];
  await runCliIn(env, 'crawl', seed, '--plan', ...own);
  const worked = await runCliIn(env, 'work', '--units', '1', '--log', 'json', ...own);
  const lines = worked.stderr.trimEnd().split('\n');
  const events = lines.map((line) => (JSON.parse(line) as { event: string }).event);
  assert.deepEqual([events[0], events.at(-1)], ['run/start', 'run/end'], worked.stderr);
  assert.ok(events.includes('run/summary') && events.includes('crawl/stages'), worked.stderr);
  assert.ok(!worked.stderr.includes(new URL(env.ORBWEAVER_STORE).password || '\n'));

  const model = await ModelClient.start(own, 'auto', env);
  t.after(() => model.close());
  assert.equal((await model.call('list_sites')).data.pages, SITE_PAGES);
  const { data } = await model.call('read_page', { url: `${seed}3` });
  assert.match(data.web.markdown, /number 3 says 23757/);
  assert.deepEqual((await model.call('page_links', { url: `${seed}3` })).data.linksToPage, 1);
  const search = await model.call('search', { query: 'number' });
  assert.ok(search.isError && search.text.includes('ERR_NO_INDEX'), search.text);
});
