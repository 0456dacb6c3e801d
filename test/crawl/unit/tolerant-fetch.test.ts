/** Tests what a crawl makes of servers that break rules or behave in unusual ways, where browsers show a page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Behaviour, reply, startWeb } from '../../../testbed/web/local-web.ts';
import { crawlHere, fatesOf } from '../crawl-here.ts';
import { dataFolder, storedUrls } from '../stored-crawl.ts';

/** Sends bytes as they are and closes the connection. */
function raw(bytes: string): Behaviour {
  return ({ socket }) => void socket.end(bytes, 'latin1');
}

test('a robots.txt with a flawed head is obeyed, and does not close the site', async (t) => {
  const heads: readonly string[] = [
    'HTTP/1.1 200 OK\r\nX-Powered By: x\r\n\r\n',
    'HTTP/1.1 200 OK\nContent-Type: text/plain\n\n',
    'HTTP/1.1  200 OK\r\nName : value\r\nContent-Length: 35, 35\r\n\r\n',
  ];
  for (const head of heads) {
    const web = await startWeb();
    t.after(() => web.close());
    web.on('/robots.txt', raw(`${head}User-agent: *\nDisallow: /secret/\n\n\n`));
    web.on('/', reply('<a href="/page">x</a><a href="/secret/">x</a>'));
    web.on('/page', raw('HTTP/1.1 200 OK\r\nX-Control: \x01\r\nContent-Type: text/html\r\n\r\n<p>page'));
    const dir = dataFolder(t);
    await crawlHere(dir, [web.url('/')], { patience: '0s' });
    assert.deepEqual(await fatesOf(dir, web.origin), {
      '/': 'fetched',
      '/page': 'fetched',
      '/secret/': 'skipped/robots-disallowed',
    });
  }
});

test('with cookies, a redirect of a page to itself is followed while the cookies change', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  let sessions = 0;
  web.on('/', reply('<a href="/wall">a</a><a href="/two">b</a><a href="/endless">c</a><a href="/same">d</a>'));
  const toItself = (path: string, cookie: string): Behaviour =>
    reply('', { location: path, 'set-cookie': `${cookie}; Path=${path}` }, 302);
  web.on('/wall', (visit) =>
    (visit.request.headers.cookie === 'seen=1' ? reply('<p>behind the wall') : toItself('/wall', 'seen=1'))(visit),
  );
  web.on('/two', (visit) => {
    const { cookie } = visit.request.headers;
    const next = { '': 'step=1', 'step=1': 'step=2' }[cookie ?? ''];
    (next === undefined ? reply('<p>after two cookies') : toItself('/two', next))(visit);
  });
  web.on('/endless', (visit) => toItself('/endless', `session=${sessions++}`)(visit));
  web.on('/same', (visit) => toItself('/same', 'always=1')(visit));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s', cookies: true, units: 1 });
  assert.deepEqual(await fatesOf(dir, web.origin), {
    '/': 'fetched',
    '/endless': 'failed/redirect-loop',
    '/same': 'failed/redirect-loop',
    '/two': 'fetched',
    '/wall': 'fetched',
  });
  const asked = (path: string): number => web.ledger.entries.filter((entry) => entry.path === path).length;
  assert.deepEqual(['/wall', '/two', '/endless', '/same'].map(asked), [2, 3, 5, 2]);
});

test('without cookies, a redirect of a page to itself is a loop', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/', reply('', { location: '/', 'set-cookie': 'seen=1' }, 302));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s' }).catch(() => {});
  assert.deepEqual(await fatesOf(dir, web.origin), { '/': 'failed/redirect-loop' });
});

test('a part of a page, a redirect without a target and a login in a redirect each have their outcome', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  web.on('/', reply(['/part', '/whole', '/choices', '/nowhere', '/login'].map((p) => `<a href="${p}">x</a>`).join('')));
  web.on('/part', reply('<p>a part', { 'content-range': 'bytes 0-7/99' }, 206));
  web.on('/whole', reply('<p>all of it', { 'content-range': 'bytes 0-11/12' }, 206));
  web.on('/choices', reply('<p>choose', {}, 300));
  web.on('/nowhere', reply('<p>found', {}, 302));
  web.on('/login', reply('', { location: `http://me:secret@${web.host}/target` }, 302));
  web.on('/target', reply('<p>target'));
  const dir = dataFolder(t);
  await crawlHere(dir, [web.url('/')], { patience: '0s' });
  assert.deepEqual(await fatesOf(dir, web.origin), {
    '/': 'fetched',
    '/choices': 'failed/bad-redirect',
    '/login': 'redirect',
    '/nowhere': 'failed/bad-redirect',
    '/part': 'fetched/partial-content',
    '/target': 'fetched',
    '/whole': 'fetched',
  });
  assert.ok(!JSON.stringify([...(await storedUrls(dir)).values()]).includes('secret'));
});
