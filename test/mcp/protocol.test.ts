/** The protocol of `orbweaver mcp`, spoken line by line: both forms of MCP, broken input, limits, cancelling, ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startLivingSite } from '../../testbed/web/living-site.ts';
import { runCli } from '../cli/setup/run-cli.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { LineClient, ModelClient } from './mcp-client.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

let dir: string;
let url: string;
/** One connection for most tests: none of them ends it. */
let client: LineClient;
const cleanUp: (() => Promise<void>)[] = [];

before(async () => {
  const site = await startLivingSite({ after: (work) => void cleanUp.push(work) });
  site.set('/', `<title>Front</title><p>silk</p>${'<p>a long line of text</p>'.repeat(200)}`);
  url = site.web.url('/');
  dir = mkdtempSync(join(tmpdir(), 'orbweaver-mcp-protocol-'));
  await crawlHere(dir, [url], { patience: '0s' });
  client = new LineClient(['--dir', dir]);
});

after(async () => {
  assert.equal(await client.end(), 0);
  for (const work of cleanUp) await work();
  rmSync(dir, { recursive: true, force: true });
});

function start(t: { after(work: () => void): void }): LineClient {
  const client = new LineClient(['--dir', dir]);
  t.after(() => void client.child.kill('SIGKILL'));
  return client;
}

test('the official client speaks both forms of the protocol', async () => {
  for (const [mode, version] of [
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ] as const) {
    const model = await ModelClient.start(['--dir', dir], mode);
    assert.equal(model.client.getNegotiatedProtocolVersion(), version);
    assert.equal(model.client.getServerVersion()?.name, 'orbweaver');
    assert.equal((await model.call('list_sites')).data.pages, 1);
    await model.close();
  }
});

test('versions are negotiated, and a connection must begin', async () => {
  const early = await client.ask({ id: 1, method: 'tools/list' });
  assert.deepEqual([early.id, early.error.code], [1, -32600]);
  assert.deepEqual((await client.ask({ id: 'p', method: 'ping' })).result, {});
  for (const [asked, given] of [
    ['2024-11-05', '2024-11-05'],
    ['2025-06-18', '2025-06-18'],
    ['1900-01-01', '2025-11-25'],
    [undefined, '2025-11-25'],
  ]) {
    assert.equal((await client.initialize(asked)).result.protocolVersion, given);
  }
  const { result } = await client.ask({ id: 2, method: 'tools/list' });
  assert.equal('resultType' in result, false);
  const discovered = await client.ask({ id: 3, method: 'server/discover', params: { _meta: META } });
  assert.deepEqual(discovered.result.supportedVersions, ['2026-07-28']);
  assert.equal(discovered.result.resultType, 'complete');
  const list = await client.ask({ id: 4, method: 'tools/list', params: { _meta: META } });
  assert.deepEqual([list.result.cacheScope, list.result.tools.length], ['private', result.tools.length]);
  const bare = await client.ask({ id: 5, method: 'server/discover' });
  assert.equal(bare.error.code, -32602);
  const foreign = { ...META, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' };
  const refused = await client.ask({ id: 6, method: 'tools/list', params: { _meta: foreign } });
  assert.equal(refused.error.code, -32022);
  assert.deepEqual(refused.error.data.requested, '1900-01-01');
  assert.ok(refused.error.data.supported.includes('2026-07-28'));
});

test('broken lines are answered and end nothing', async () => {
  const cases: readonly [string | Buffer, number, unknown][] = [
    ['{"jsonrpc":"2.0","id":1,"method":', -32700, null],
    [Buffer.from([0x22, 0xff, 0xfe, 0x22]), -32700, null],
    ['null', -32600, null],
    ['"text"', -32600, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null],
    ['{"id":2,"method":"ping"}', -32600, 2],
    ['{"jsonrpc":"1.0","id":2,"method":"ping"}', -32600, 2],
    ['{"jsonrpc":"2.0","id":3}', -32600, 3],
    ['{"jsonrpc":"2.0","id":3,"method":7}', -32600, 3],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}', -32602, 4],
    ['{"jsonrpc":"2.0","id":5,"method":"constructor"}', -32601, 5],
    ['{"jsonrpc":"2.0","id":6,"method":"resources/list"}', -32601, 6],
    ['{"jsonrpc":"2.0","id":7,"method":"tools/call"}', -32602, 7],
    ['{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"__proto__"}}', -32602, 8],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32600, null],
    ['x'.repeat(10_000_000), -32700, null],
    [`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":"${'y'.repeat(10_000_000)}"}}`, -32700, null],
  ];
  for (const [line, code, id] of cases) {
    client.sendLine(line);
    const { error, id: answered } = await client.next();
    assert.deepEqual([error.code, answered], [code, id], String(line).slice(0, 100));
  }
  // Empty lines, notifications and responses are not answered.
  for (const line of ['', '{"jsonrpc":"2.0","method":"unknown"}', '{"jsonrpc":"2.0","id":1,"result":{}}'])
    client.sendLine(line);
  client.sendLine('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}');
  assert.deepEqual(await client.ask({ id: 'after', method: 'ping' }), { jsonrpc: '2.0', id: 'after', result: {} });
  const list = { id: 10, method: 'tools/call', params: { name: 'list_sites', arguments: [] } };
  assert.equal((await client.ask(list)).result.isError, true);
});

test('many requests at once are answered each once, and more than the limit are refused', async () => {
  const call = { name: 'read_page', arguments: { url, max_chars: 500 } };
  for (let id = 0; id < 40; id++) client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: call });
  client.send({ jsonrpc: '2.0', id: 39, method: 'ping' });
  const answers = [];
  for (let n = 0; n < 41; n++) answers.push(await client.next());
  const ids = answers.map(({ id }) => id).sort((a, b) => a - b);
  assert.deepEqual(
    ids,
    [...Array(40).keys(), 39].sort((a, b) => a - b),
  );
  const refused = answers.filter(({ error }) => error?.code === -32000);
  const answered = answers.filter(({ result }) => result?.structuredContent?.web.title === 'Front');
  assert.deepEqual([refused.length, answered.length], [24, 16]);
  client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: call });
  client.send({ jsonrpc: '2.0', id: 'x', method: 'tools/call', params: call });
  assert.equal((await client.next()).error.code, -32600, 'an id that is in use');
  assert.equal((await client.next()).result.isError, undefined);
});

test('a cancelled request is not answered, and the next ones are', async () => {
  const call = (id: number) =>
    client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_sites' } });
  for (const id of [1, 2, 3]) call(id);
  for (const requestId of [1, 3])
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  assert.equal((await client.next()).id, 2);
  assert.equal((await client.ask({ id: 4, method: 'ping' })).id, 4);
  call(5);
  assert.equal((await client.next()).id, 5);
});

test('requests before the end of the input are answered, and a killed client leaves no process', async (t) => {
  const ending = start(t);
  await ending.initialize();
  ending.child.stdin.end(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sites"}}`);
  assert.equal((await ending.next()).result.structuredContent.pages, 1);
  assert.equal(await ending.next(), null);
  const left = start(t);
  await left.initialize();
  const exited = once(left.child, 'close');
  // A killed client closes both ends at once.
  left.child.stdout.destroy();
  left.child.stdin.destroy();
  await exited;
});

test('a signal ends the server as the end of its input does', async (t) => {
  const stopped = start(t);
  await stopped.initialize();
  const exited = once(stopped.child, 'close');
  stopped.child.kill('SIGTERM');
  assert.deepEqual((await exited)[0], 0, stopped.stderr);
  assert.doesNotMatch(stopped.stderr, /ERR_/);
});

test('a folder without a crawl is refused at the start, and stdout stays empty', async () => {
  const { exitCode, stdout, stderr } = await runCli('mcp', '--dir', join(dir, 'nothing'));
  assert.deepEqual([exitCode, stdout], [1, '']);
  assert.match(stderr, /ERR_NO_CRAWL/);
  const words = await runCli('mcp', '--dir', dir, 'https://example.com/');
  assert.deepEqual([words.exitCode, words.stdout], [2, '']);
});
