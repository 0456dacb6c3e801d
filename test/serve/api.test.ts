/** Every route of the API over a real copy: each answer fits its schema, and each bad request is refused. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROUTES, type Route, type RouteName } from '../../src/serve/contract/routes.ts';
import { openApi } from '../../src/serve/openapi.ts';
import { NAMED_SCHEMAS } from '../../src/serve/schema/schema.ts';
import type { RunningServer } from '../../src/serve/serve.ts';
import { ask, copyOfSite, type ServedSite, serveHere } from './setup/serve-here.ts';

const cleanUp: (() => Promise<void>)[] = [];
const t = { after: (work: () => Promise<void>): void => void cleanUp.push(work) };
let served: ServedSite;
let server: RunningServer;
let copy: string;

before(async () => {
  served = await copyOfSite(t);
  server = await serveHere(t, [served.dir]);
  copy = server.copies.all[0]!.id;
});

after(async () => {
  for (const work of cleanUp.reverse()) await work();
});

/** The path of a route with values that exist. */
function pathOf(name: RouteName, query: Record<string, string> = {}): string {
  const host = served.site.web.origin;
  const path = ROUTES[name].path.replace('{copy}', copy).replace('{host}', encodeURIComponent(host));
  const search = new URLSearchParams({ ...queryOf(name), ...query });
  return search.size === 0 ? path : `${path}?${search}`;
}

function queryOf(name: RouteName): Record<string, string> {
  const url = served.site.web.url('/a');
  switch (name) {
    case 'getPage':
    case 'getHistory':
    case 'getDiff':
    case 'getLinks':
    case 'getContent':
      return { url };
    case 'getTree':
      return { host: served.site.web.origin };
    case 'search':
      return { q: 'price', facets: 'true' };
    case 'complete':
      return { prefix: 'pri' };
    default:
      return {};
  }
}

const READS = (Object.keys(ROUTES) as RouteName[]).filter(
  (name) => ROUTES[name].method === 'GET' && name !== 'getEvents',
);

test('E10 every route that reads answers in the form of its schema', async () => {
  assert.ok(READS.length > 15);
  for (const name of READS) {
    const { status, json, text, headers } = await ask(server, pathOf(name));
    assert.equal(status, 200, `${name}: ${text.slice(0, 300)}`);
    const { answer }: Route = ROUTES[name];
    if (typeof answer === 'string') assert.equal(headers['content-type'], answer);
    else assert.deepEqual(answer.parse(json, name), json, `${name} has fields that its schema lacks`);
  }
});

test('a request with an unknown, a repeated or a missing parameter is refused, and says which are taken', async () => {
  for (const name of READS) {
    const { status, json } = await ask(server, pathOf(name, { nonsense: '1' }));
    assert.equal(status, 400, name);
    assert.equal(json.error.code, 'BAD_REQUEST');
    const { query }: Route = ROUTES[name];
    const required = Object.entries(query?.fields ?? {}).some(
      ([, schema]) => !(schema as { isOptional?: true }).isOptional,
    );
    if (required)
      assert.equal((await ask(server, pathOf(name).split('?')[0]!)).status, 400, `${name} without its query`);
  }
  assert.equal((await ask(server, `${pathOf('search')}&q=again`)).status, 400);
  assert.equal((await ask(server, pathOf('listHosts', { limit: '0' }))).status, 400);
  assert.equal((await ask(server, pathOf('listHosts', { limit: '1e3' }))).status, 400);
});

test('what the copy does not have is not found, and a bad method or address is refused', async () => {
  const nowhere = served.site.web.url('/nowhere');
  const status = async (path: string, method = 'GET') => (await ask(server, path, { method })).status;
  assert.equal(await status(pathOf('getHistory', { url: nowhere })), 404);
  assert.equal(await status(pathOf('getContent', { url: nowhere })), 404);
  assert.equal(await status(pathOf('getPage', { url: 'no url at all' })), 400);
  assert.equal(await status(`/api/copies/${copy}/hosts/${encodeURIComponent('http://other.test')}`), 404);
  assert.equal(await status('/api/copies/other'), 404);
  assert.equal(await status('/api/nothing'), 404);
  assert.equal(await status(`/api/copies/%E0%A4%A`), 404);
  assert.equal(await status(pathOf('getDiff', { from: 'yesterday' })), 400);
  const { json } = await ask(server, pathOf('getPage', { url: nowhere }));
  assert.deepEqual([json.isKnown, json.state], [false, null]);
});

test('HEAD answers like GET without the body', async () => {
  const [head, get] = [await ask(server, pathOf('getCopy'), { method: 'HEAD' }), await ask(server, pathOf('getCopy'))];
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal(head.headers['content-length'], get.headers['content-length']);
});

test('the content of a page, its difference and its links are those of the copy', async () => {
  const content = (await ask(server, pathOf('getContent'))).json;
  assert.match(content.markdown, /14 euros/);
  const diff = (await ask(server, pathOf('getDiff'))).json;
  const changed = diff.hunks.flatMap(({ pieces }: { pieces: { kind: string; text: string }[] }) =>
    pieces.filter(({ kind }) => kind !== 'same').map(({ text }) => text.trim()),
  );
  assert.deepEqual(changed, ['12', '14']);
  const before = (await ask(server, pathOf('getContent', { at: diff.from.at }))).json;
  assert.match(before.markdown, /12 euros/);
  const links = (await ask(server, pathOf('getLinks'))).json;
  assert.deepEqual(
    links.to.map(({ url, anchor }: { url: string; anchor: string }) => [url, anchor]),
    [[served.site.web.url('/'), 'A']],
  );
});

test('changes are filtered and read in parts, and the newest are first', async () => {
  const all = (await ask(server, pathOf('listChanges'))).json;
  assert.deepEqual(
    all.changes.map(({ kind, level }: { kind: string; level: string }) => [kind, level]),
    [['changed', 'content']],
  );
  const only = async (query: Record<string, string>) =>
    (await ask(server, pathOf('listChanges', query))).json.changes.length;
  assert.equal(await only({ kind: 'gone' }), 0);
  assert.equal(await only({ words: 'page a' }), 1);
  assert.equal(await only({ words: 'something else' }), 0);
  assert.equal(await only({ host: served.site.web.origin }), 1);
  assert.equal(await only({ host: served.site.web.host }), 1);
  assert.equal(await only({ host: 'other.test' }), 0);
  assert.equal(await only({ least: '100' }), 0);
  assert.equal(await only({ before: String(all.newest) }), 0);
  const feed = (await ask(server, pathOf('getFeed'))).text;
  assert.match(feed, /<title>Changed: Page A<\/title>/);
  const { wordsAdded, wordsRemoved, kinds } = all.changes[0];
  assert.deepEqual([wordsAdded, wordsRemoved, kinds], [1, 1, ['text']], 'a change is described when it is read');
  assert.equal(feed, (await ask(server, pathOf('getFeed'))).text, 'equal changes give an equal feed');
});

test('folders, skipped URLs and broken links are counted', async () => {
  const tree = (await ask(server, pathOf('getTree'))).json;
  assert.deepEqual(
    tree.rows.filter(({ isFolder }: { isFolder: boolean }) => isFolder).map(({ name }: { name: string }) => name),
    ['deep'],
  );
  const inside = (await ask(server, pathOf('getTree', { folder: '/deep/x/' }))).json;
  assert.deepEqual(inside.rows[0].url, served.site.web.url('/deep/x/y'));
  assert.equal((await ask(server, pathOf('getTree', { folder: '/none/' }))).status, 404);
  const broken = (await ask(server, pathOf('getBroken'))).json;
  assert.deepEqual(
    [broken.total, broken.links[0].url, broken.links[0].from[0].anchor],
    [1, served.site.web.url('/lost'), 'lost'],
  );
  const { groups } = (await ask(server, pathOf('getSkipped'))).json;
  assert.ok(
    groups.some(
      ({ reason, examples }: { reason: string; examples: string[] }) => reason === 'not-found' && examples.length === 1,
    ),
  );
});

test('the OpenAPI document names every route, parameter and field', async () => {
  const { status, json } = await ask(server, '/api/openapi.json');
  assert.equal(status, 200);
  assert.deepEqual(json, JSON.parse(JSON.stringify(openApi())));
  const operations = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  assert.deepEqual(operations.sort(), Object.keys(ROUTES).sort());
  for (const [, reference] of JSON.stringify(json).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(reference === 'Error' || NAMED_SCHEMAS.has(reference!), reference);
  }
});

test('marking changes as seen is kept in the folder and written to the audit log', async () => {
  const { token } = server;
  const path = `/api/copies/${copy}/changes/seen`;
  assert.equal((await ask(server, path, { method: 'POST', body: { seq: 1 } })).status, 401);
  assert.equal((await ask(server, path, { method: 'POST', body: { seq: 1 }, token })).status, 200);
  assert.equal((await ask(server, pathOf('listChanges'))).json.seen, 1);
  const log = readFileSync(join(served.dir, 'audit.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    log.map(({ route, body, status }) => [route, body, status]),
    [['markSeen', { seq: 1 }, 200]],
  );
});
