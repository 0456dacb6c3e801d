/**
 * Tests that workers follow the plan's decision about private addresses. A worker can refuse
 * private addresses but cannot allow more of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { startWork } from '../../../src/crawl/cluster/worker.ts';
import { reply, startWeb } from '../../../testbed/web/local-web.ts';
import { noPostgres } from '../../setup/postgres.ts';
import { TestCluster } from './setup/cluster-here.ts';

/** A name that never resolves stands for a public seed. */
const NOWHERE = 'http://no-such-host.invalid/';

test('the plan decides about private addresses for its workers, a new plan replaces it, and a worker may refuse', {
  skip: noPostgres,
}, async (t) => {
  const web = await startWeb({ address: '127.0.9.1' });
  t.after(() => web.close());
  web.on('/', reply('private'));
  const cluster = await TestCluster.open(t);
  const work = (own: GivenOptions) => startWork({ ...cluster.entry('worker'), own }).summary;
  const rules = { scope: 'any', patience: '0s', units: 1, watchers: false };

  await cluster.plan([NOWHERE], rules);
  await cluster.plan([web.url('/')], { ...rules, allowPrivate: ['10.0.0.0/8'] });
  for (const allowPrivate of [true, ['127.0.0.0/8']]) {
    await assert.rejects(work({ allowPrivate }), { code: 'ERR_BAD_OPTION', message: /the same for all workers/ });
  }
  await assert.rejects(work({ allowPrivate: false }), {
    code: 'ERR_BAD_OPTION',
    message: /but --no-allow-private is set here/,
  });
  assert.equal(web.accepted, 0);

  const { pages } = await work({});
  assert.equal(pages, 1, 'the private seed itself was typed');
});

test('a worker that refuses private addresses works on a crawl that reaches none, which has no page', {
  skip: noPostgres,
}, async (t) => {
  const cluster = await TestCluster.open(t);
  await cluster.plan([NOWHERE], { patience: '0s', units: 1, watchers: false });
  const { ending } = await startWork({ ...cluster.entry('worker'), own: { allowPrivate: false } }).summary;
  assert.equal(ending, 'failed');
});
