import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/core/clock.ts';
import { FETCH_REASONS } from '../../src/fetch/fetch-reasons.ts';
import { Fetcher } from '../../src/fetch/fetcher.ts';
import { RAW_REPLIES } from '../../testbed/replies/replies.ts';
import { type LocalWeb, startWeb } from '../../testbed/web/local-web.ts';
import { damage, generator, inBytes, inRandomPieces, readPieces, readWhole } from './transport/h1/reading.ts';

const SOUND = [
  'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 12\r\n\r\nhello, world',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n',
  'HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n',
  'HTTP/1.1 429 Slow\r\nretry-after: 5\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\nx',
];

/** Deterministic damage: bytes are changed, dropped and doubled. */
function damaged(seed: number): Buffer {
  let state = seed;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  let bytes = Buffer.from(SOUND[random(SOUND.length)]!, 'latin1');
  for (let i = random(4); i >= 0; i--) {
    const at = random(bytes.length);
    const kind = random(3);
    if (kind === 0) bytes[at] = random(256);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(6))]);
    else bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - 9))]);
  }
  return bytes;
}

let web: LocalWeb;
before(async () => {
  web = await startWeb();
  web.on('/fuzz*', ({ path, socket }) => socket.end(damaged(Number(path.slice(5)))));
});
after(() => web.close());

test('any bytes from a server give an outcome with a reason from the list', async () => {
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin], connectionsPerHost: 8, cookies: true }, systemClock);
  const seeds = Array.from({ length: 400 }, (_, i) => i);
  const outcomes = await Promise.all(seeds.map((seed) => fetcher.fetch(web.url(`/fuzz${seed}`))));
  const known: ReadonlySet<string | null> = new Set([...FETCH_REASONS, null]);
  for (const [seed, outcome] of outcomes.entries()) {
    assert.ok(known.has(outcome.reason), `seed ${seed}: ${outcome.reason}`);
    assert.notEqual(outcome.reason, 'internal-error', `seed ${seed}`);
    if (outcome.status === 0) assert.notEqual(outcome.reason, null, `seed ${seed}`);
  }
  assert.ok(outcomes.some((outcome) => outcome.reason === null));
  assert.ok(outcomes.some((outcome) => outcome.reason === 'bad-response'));
  await fetcher.close();
});

test('every raw reply is read the same whole, byte by byte and in random pieces, also when it is damaged', () => {
  const random = generator(11);
  for (const [name, reply] of Object.entries(RAW_REPLIES)) {
    const sound = Buffer.from(reply, 'latin1');
    for (const bytes of sound.length < 1_000 ? [sound, damage(sound, random)] : [sound]) {
      const whole = readWhole(bytes);
      assert.deepEqual(readPieces(inBytes(bytes)), whole, name);
      assert.deepEqual(readPieces(inRandomPieces(bytes, random)), whole, name);
      assert.ok(whole.state === 'done' || whole.fault !== null, name);
    }
  }
});

test('a protocol upgrade that was not requested is an invalid response', async () => {
  web.on('/upgrade', ({ socket }) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  );
  const fetcher = new Fetcher({ allowedPrivateHosts: [web.origin] }, systemClock);
  assert.equal((await fetcher.fetch(web.url('/upgrade'))).reason, 'bad-response');
  await fetcher.close();
});
