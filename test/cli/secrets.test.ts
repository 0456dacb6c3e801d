/** Tests secrets in the wrong form or the wrong place: no message repeats them, and no crawl starts. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { checkHeaderOptions } from '../../src/fetch/request-headers.ts';
import { crawl, refresh } from '../../src/index.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { runCli, runCliIn } from './setup/run-cli.ts';
import { type CommandRun, runCommands } from './setup/run-commands.ts';

const SECRET = 's3cr3t-Pa55';
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'orbweaver-secrets-'));
});
after(() => rmSync(folder, { recursive: true }));

/**
 * Asserts that the commands were refused as bad usage, that no output shows the secret, and that no folder was made.
 */
function assertRefused(runs: readonly CommandRun[]): void {
  for (const { words, stdout, outcome } of runs) {
    assert.match(outcome, /^ERR_(?:BAD_OPTION|BAD_URL|USAGE|UNKNOWN_OPTION|CONFIG) /, words.join(' '));
    assert.ok(!`${stdout}${outcome}`.includes(SECRET), `${words.join(' ')}\n${outcome}`);
  }
  assert.ok(!existsSync(join(folder, 'copy')), 'no crawl was started');
}

const FLAGS: readonly (readonly string[])[] = [
  ['--header', `example.com:${SECRET}`],
  ['--header', `Authorization: Bearer ${SECRET}`],
  ['--header', `X-Key: ${SECRET}|example.com`],
  ['--auth', `example.comuser:${SECRET}`],
  ['--auth', `user:${SECRET}@example.com`],
  ['--auth', `user:${SECRET}|example.com:8080`],
  ['--auth', `*|user:${SECRET}`],
  ['--auth', `example.com|${SECRET}`],
  ['--proxy', `user:${SECRET}@proxy.example:3128`],
  ['--proxy', `socks5://user:${SECRET}@proxy.example:1080`],
  ['--proxy', `http://user:${SECRET}@proxy example`],
  [`--autth=example.com|user:${SECRET}`],
  [`--authexample.com|user:${SECRET}`],
  [`--header:${SECRET}`],
  ['--store', `postgres://user:${SECRET}@db.example/crawls`],
  ['--store', `postgres//user:${SECRET}@db.example/crawls`],
];

test('a refused flag does not repeat a secret', () => {
  const words = ['--dir', join(folder, 'copy')];
  assertRefused(
    runCommands('this', {}, [
      ...FLAGS.map((flags) => ['crawl', 'http://127.0.0.1:9/', ...words, ...flags]),
      ['crawl', `htps://user:${SECRET}@example.com/`, ...words],
      ['crawl', `http://user:${SECRET}@127.0.0.1:9/`, ...words],
      ['crawl', `user:${SECRET}@127.0.0.1:9/`, ...words],
      ['refresh', ...words, '--header', '*|X:', SECRET],
      ['status', ...words, SECRET],
      ['export', ...words, SECRET],
      ['watch', folder, SECRET, '--url', 'http://site.test/'],
      ['watch', folder, '--url', `htp://user:${SECRET}@site.test/`],
      ['watch', folder, '--url', 'http://site.test/', '--indexnow-key', `${SECRET}!`],
    ]),
  );
});

test('a refused environment variable does not repeat a secret', async () => {
  const words = ['crawl', 'http://127.0.0.1:9/', '--dir', join(folder, 'copy')];
  for (const [name, value] of [
    ['HEADER', `X-Key: ${SECRET}`],
    ['AUTH', `user:${SECRET}`],
    ['PROXY', `user:${SECRET}@proxy:1`],
    ['STORE', `postgres://user:${SECRET}#@db.example/x`],
  ] as const) {
    assertRefused(runCommands('this', { [`ORBWEAVER_${name}`]: value }, [words]));
  }
});

const YAML_FILES = [
  `auth:\nexample.com|user:${SECRET}\n`,
  `auth: example.com|user: ${SECRET}\n`,
  `"example.com|user:${SECRET}": 1\n`,
  `auth: *${SECRET}\n`,
  `header: ["*|X: ${SECRET}"\n`,
  `header: !${SECRET} {a: 1}\n`,
  `auth: [user:${SECRET}]\n`,
  `%${SECRET}\nauth: {}\n`,
];

test('a refused configuration file does not repeat a secret', async () => {
  const commands = YAML_FILES.map((text, i) => {
    const file = join(folder, `${i}.yaml`);
    writeFileSync(file, text);
    return ['crawl', 'http://127.0.0.1:9/', '--dir', join(folder, 'copy'), '--config', file];
  });
  const watcher = join(folder, 'watcher.json');
  writeFileSync(watcher, `{"url": "http://site.test/", "indexnow-key": ${SECRET}}`);
  assertRefused(runCommands('this', {}, [...commands, ['watch', '--config', watcher]]));
});

test('an unknown command does not repeat a secret', async () => {
  const { exitCode, stdout, stderr } = await runCli(`user:${SECRET}@example.com`);
  assert.equal(exitCode, 2);
  assert.ok(!`${stdout}${stderr}`.includes(SECRET));
});

test('the library does not repeat a secret', async () => {
  const refused = async (begin: () => unknown) => {
    const error = await Promise.resolve()
      .then(begin)
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    assert.match(String(error), /^OrbweaverError/);
    assert.ok(!inspect(error, { depth: 9 }).includes(SECRET), inspect(error));
  };
  const dir = join(folder, 'copy');
  await refused(() => crawl('http://127.0.0.1:9/', { dir, header: `X-Key: ${SECRET}` }).summary);
  await refused(() => crawl('http://127.0.0.1:9/', { dir, auth: [`user:${SECRET}`] }).summary);
  await refused(() => crawl('http://127.0.0.1:9/', { dir, proxy: `user:${SECRET}@proxy` }).summary);
  await refused(() => refresh({ dir, header: [`${SECRET}`] }).summary);
  await refused(() => refresh({ dir, webhook: `user:${SECRET}@hook.example` }).summary);
  await refused(() => refresh({ dir, webhook: 'http://127.0.0.1:9/', webhookSecret: `whsec_${SECRET}` }).summary);
  const headers = { headers: { [SECRET]: { [`bad ${SECRET}`]: 'x' }, other: { 'X-Key': `${SECRET}\n` } } };
  await refused(() => checkHeaderOptions({ userAgent: 'x', basicAuth: {}, ...headers }));
  await refused(() => checkHeaderOptions({ userAgent: 'x', headers: {}, basicAuth: { [`*${SECRET}`]: 'x' } }));
});

test('valid secrets are used, but neither printed nor stored with the crawl', async (t) => {
  const seen: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization, headers['x-key'] as string | undefined);
    response.end('<title>Page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  const dir = join(folder, 'used');
  const env = { ORBWEAVER_AUTH: `${host}|user:${SECRET}`, ORBWEAVER_HEADER: `${host}|X-Key: ${SECRET}` };
  const crawled = await runCliIn(env, 'crawl', `http://${host}/`, '--dir', dir, '--json');
  assert.equal(crawled.exitCode, 0, crawled.stderr);
  assert.ok(seen.includes(`Basic ${btoa(`user:${SECRET}`)}`) && seen.includes(SECRET));
  const status = await runCli('status', '--dir', dir, '--json');
  assert.ok(![crawled, status].some(({ stdout, stderr }) => `${stdout}${stderr}`.includes(SECRET)));
  for (const name of readdirSync(dir).filter((file) => file.startsWith('crawl.'))) {
    assert.ok(!readFileSync(join(dir, name)).includes(SECRET), name);
  }
});

test('a login or header for the default port of a seed with another port is refused, and the right form is named', async (t) => {
  const run = (flag: string, value: string) =>
    runCli('crawl', 'http://127.0.0.1:9/', '--dir', dataFolder(t), flag, value);
  const [auth, header, exact] = await Promise.all([
    run('--auth', `127.0.0.1|user:${SECRET}`),
    run('--header', `127.0.0.1|X-Key: ${SECRET}`),
    run('--header', `http://127.0.0.1|X-Key: ${SECRET}`),
  ]);
  assert.deepEqual([auth.exitCode, header.exitCode], [2, 2]);
  assert.match(
    auth.stderr,
    /--auth is for 127\.0\.0\.1, .* starts at 127\.0\.0\.1:9; write --auth "127\.0\.0\.1:9\|…"/,
  );
  assert.match(header.stderr, /write --header "127\.0\.0\.1:9\|…"/);
  assert.doesNotMatch(auth.stderr + header.stderr, new RegExp(SECRET));
  assert.doesNotMatch(exact.stderr, /ERR_BAD_OPTION/);
});
