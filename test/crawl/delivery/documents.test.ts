/** Does what docs/deliver.md tells a receiver to do, with real requests. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { listenersFrom } from '../../../src/crawl/delivery/listeners-from.ts';
import { CHANGE_KINDS } from '../../../src/store/contract.ts';
import { batchOf, NASTY } from './a-batch.ts';
import { change } from './change-store.ts';

const TEXT = readFileSync(new URL('../../../docs/deliver.md', import.meta.url), 'utf8');

/** The only code block in this language. */
function block(language: string): string {
  const blocks = [...TEXT.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  assert.equal(blocks.length, 1, `one block of ${language}`);
  return blocks[0]![1]!;
}

interface Request {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A request as a receiver gets it. */
async function requestWith(secret: string): Promise<Request> {
  const server = createServer();
  const got = new Promise<Request>((resolve) => {
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        response.writeHead(204).end();
        resolve({ headers: request.headers as Record<string, string>, body });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const [listener] = listenersFrom({ webhook, webhookSecret: secret });
  await listener!.deliver(await batchOf([change(1, { title: `Größe ${NASTY}` })]), new AbortController().signal);
  server.close();
  return got;
}

const SECRETS = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`, 'a pass phrase with an ü in it'];

test('the Node receiver of the documentation accepts our requests and nothing else', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-docs-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'verify.mjs');
  writeFileSync(file, block('js'));
  const { isOurs } = (await import(pathToFileURL(file).href)) as {
    isOurs(secret: string, headers: Record<string, string>, body: string): boolean;
  };
  for (const secret of SECRETS) {
    const { headers, body } = await requestWith(secret);
    assert.equal(isOurs(secret, headers, body), true);
    assert.equal(isOurs(secret, headers, body.replace('changed', 'gone')), false);
    assert.equal(isOurs('another secret that is long enough', headers, body), false);
    assert.equal(isOurs(secret, { ...headers, 'webhook-signature': `v1,${'é'.repeat(44)}` }, body), false);
    assert.equal(isOurs(secret, {}, body), false);
    assert.equal(isOurs(secret, { ...headers, 'webhook-id': 'msg_other' }, body), false);
    assert.equal(isOurs(secret, { ...headers, 'webhook-timestamp': '1' }, body), false);
    assert.equal(
      isOurs(secret, { ...headers, 'webhook-signature': `v1,x ${headers['webhook-signature']}` }, body),
      true,
    );
  }
});

test('the Python receiver of the documentation accepts our requests and nothing else', async (t) => {
  if (spawnSync('python3', ['--version']).error !== undefined) return t.skip('there is no python3 here');
  const script = `${block('python')}
import json, sys
said = []
for secret, headers, body in json.load(sys.stdin):
    said.append([is_ours(secret, headers, body.encode()), is_ours(secret, headers, body.encode() + b" ")])
print(json.dumps(said))
`;
  const cases: unknown[] = [];
  for (const secret of SECRETS) {
    const { headers, body } = await requestWith(secret);
    cases.push([secret, headers, body]);
  }
  const { stdout, stderr } = spawnSync('python3', ['-c', script], { input: JSON.stringify(cases), encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.deepEqual(JSON.parse(stdout), [
    [true, false],
    [true, false],
  ]);
});

test('the documentation lists all fields and all kinds of changes', async () => {
  const stored = {
    kinds: [],
    band: '',
    shared: 0,
    wordsAdded: 0,
    wordsRemoved: 0,
    levels: [],
    regions: [],
    image: null,
  };
  const { changes } = await batchOf([change(1, { change: JSON.stringify(stored) })]);
  const rows = [...TEXT.matchAll(/^\| ([a-zA-Z., ]+) \| /gm)].flatMap(([, names]) => names!.split(', '));
  const documented = rows.slice(rows.indexOf('seq'), rows.indexOf('edit') + 1);
  const [told] = changes;
  const fields = Object.keys(told!).flatMap((field) =>
    field === 'change' ? ['change', ...Object.keys(told!.change!).map((inner) => `change.${inner}`)] : [field],
  );
  assert.deepEqual(documented, fields);
  const [, kinds] = /^\| kind \| (.*) \|$/m.exec(TEXT)!;
  assert.deepEqual(kinds!.split(/, | or /), [...CHANGE_KINDS]);
  const samples = block('json').trimEnd().split('\n');
  for (const line of samples) assert.deepEqual(Object.keys(JSON.parse(line)), Object.keys(told!));
});
