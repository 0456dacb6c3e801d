import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import type { FetchOutcome } from '../../src/fetch/outcome.ts';
import { isAsCurl, replyHash, storedAnswers } from '../../testbed/replies/curl-answers.ts';
import { RAW_REPLIES } from '../../testbed/replies/replies.ts';
import { type ReplyServer, startReplyServer } from '../../testbed/replies/reply-server.ts';
import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';

/**
 * curl accepts these replies too, but we read them as browsers do, because curl's reading is of no use to a crawler.
 */
const NOT_AS_CURL: Readonly<Record<string, string>> = {
  'header line "Content-Type: text/html; charset=utf-8"':
    'of two types, the charset of the first is kept (Fetch standard)',
  'a space before each colon': 'the name is the part before the space',
  'a space before the colon of Location': 'the name is the part before the space',
  'chunked with a space before the colon': 'the name is the part before the space',
  'gzip with a space before the colon': 'the name is the part before the space',
  'a folded Location': 'a folded value is one value with a space (RFC 9112 §5.2)',
  'chunked, folded': 'a folded value is one value (RFC 9112 §5.2)',
};

const { answers } = storedAnswers();
let server: ReplyServer;
let web: LocalWeb;
let fetcher: Fetcher;
before(async () => {
  server = await startReplyServer(RAW_REPLIES);
  web = await startWeb();
  fetcher = new Fetcher({ allowedPrivateHosts: [server.origin, web.origin], connectionsPerHost: 8 }, systemClock);
});
after(async () => {
  await fetcher.close();
  await Promise.all([server.close(), web.close()]);
});

test('the stored answers of curl belong to these replies', () => {
  assert.deepEqual(Object.keys(answers), Object.keys(RAW_REPLIES), 'run: npm run proof -- replies');
  for (const [name, reply] of Object.entries(RAW_REPLIES)) assert.equal(answers[name]!.reply, replyHash(reply), name);
  assert.ok(Object.values(answers).filter(({ exit }) => exit[0] === 0).length > 500);
});

test('every reply that curl accepts is read as curl reads it, except for the listed ones', async () => {
  const accepted = Object.entries(answers).filter(([, { exit }]) => exit[0] === 0);
  const differing: string[] = [];
  await Promise.all(
    accepted.map(async ([name, answer]) => {
      const outcome = await fetcher.fetch(server.urlOf(name));
      if (!isAsCurl(outcome, answer)) differing.push(name);
      else assert.equal(name in NOT_AS_CURL, false, `${name} is read as curl reads it`);
    }),
  );
  assert.deepEqual(
    differing.filter((name) => !(name in NOT_AS_CURL)),
    [],
  );
  assert.ok(differing.length <= 0.02 * accepted.length);
});

test('a reply that curl refuses is refused with a reason, or read with a recorded flaw', async () => {
  const refused = Object.entries(answers).filter(([, { exit }]) => exit[0] !== 0);
  const silent: string[] = [];
  await Promise.all(
    refused.map(async ([name]) => {
      const { reason, flaws } = await fetcher.fetch(server.urlOf(name));
      if (reason === null && flaws.length === 0) silent.push(name);
      if (reason === 'bad-response') assert.notEqual(flaws.length, 0, `${name}: nothing says why`);
    }),
  );
  assert.deepEqual(silent.sort(), [
    'a blank line before the status line',
    'interim, then a blank line',
    'line feeds before the status line',
    'status line "HTTP/0.9 200 OK"',
  ]);
});

test('the same reply, sent whole and byte by byte, has the same outcome', async () => {
  // The parser alone is tested with all replies (fuzz.test.ts).
  const sample = Object.entries(RAW_REPLIES).filter(([, reply], i) => i % 8 === 0 && reply.length < 160);
  await Promise.all(
    sample.map(async ([name]) => {
      const [whole, inBytes] = await Promise.all(
        [false, true].map((bytes) => fetcher.fetch(server.urlOf(name, bytes))),
      );
      assert.deepEqual(factsOf(inBytes!), factsOf(whole!), name);
    }),
  );
});

function factsOf({ status, statusText, rawHeaders, decoded, reason, flaws, truncated }: FetchOutcome): unknown {
  return { status, statusText, rawHeaders, decoded: decoded.toString('latin1'), reason, flaws, truncated };
}

const KEPT_OPEN: Readonly<Record<string, readonly [isReused: boolean, reply: string]>> = {
  'a sound reply': [true, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  'a space in a name': [false, 'HTTP/1.1 200 OK\r\nx y: z\r\ncontent-length: 2\r\n\r\nok'],
  'line feeds alone': [false, 'HTTP/1.1 200 OK\ncontent-length: 2\n\nok'],
  'a list of lengths': [false, 'HTTP/1.1 200 OK\r\ncontent-length: 2, 2\r\n\r\nok'],
  'a space after a chunk size': [false, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2 \r\nok\r\n0\r\n\r\n'],
  'two codings': [false, 'HTTP/1.1 200 OK\r\ntransfer-encoding: identity, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
};

for (const [what, [isReused, reply]] of Object.entries(KEPT_OPEN)) {
  test(`${what}: the connection ${isReused ? 'is used' : 'is not used'} again`, async () => {
    const single = new Fetcher({ allowedPrivateHosts: [web.origin], connectionsPerHost: 1 }, systemClock);
    web.on('/kept-open', ({ socket }) => socket.write(reply, 'latin1'));
    const before = web.accepted;
    for (let i = 0; i < 2; i++) assert.equal((await single.fetch(web.url('/kept-open'))).decoded.toString(), 'ok');
    assert.equal(web.accepted - before, isReused ? 1 : 2);
    await single.close();
  });
}
