import assert from 'node:assert/strict';
import http from 'node:http';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { damage, generator, OK, type Reading, readWhole, SOUND } from './reading.ts';

/** A deliberate difference between our parser and Node's parser: what ours does, why, and how to detect it. */
interface Difference {
  readonly ours: 'takes' | 'refuses';
  readonly why: string;
  readonly example: string;
  holds(text: string): boolean;
}

const DIFFERENCES: readonly Difference[] = [
  {
    ours: 'takes',
    why: 'bytes after the end cost the connection, not the page that came whole',
    example: `${OK}content-length: 5\r\n\r\nhello, world`,
    holds: (text) => readWhole(Buffer.from(text.slice(0, -1), 'latin1'), { open: true }).state === 'done',
  },
  {
    ours: 'takes',
    why: 'a folded value is one value with a space (RFC 9112 §5.2)',
    example: `${OK}x-a: b\r\n c\r\ncontent-length: 2\r\n\r\nok`,
    holds: (text) => /\r\n[ \t]/.test(text),
  },
  {
    ours: 'takes',
    why: 'chunked wins over a length, and the connection is closed (RFC 9112 §6.3)',
    example: `${OK}content-length: 9\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    holds: (text) => /transfer-encoding:/i.test(text) && /content-length:/i.test(text),
  },
  {
    ours: 'takes',
    why: 'the same length twice is one length (RFC 9110 §8.6)',
    example: `${OK}content-length: 2\r\ncontent-length: 2\r\n\r\nok`,
    holds: (text) => /content-length:.*content-length:/is.test(text),
  },
  {
    ours: 'takes',
    why: 'a response with a flaw is read as curl and browsers read it, and the connection is closed',
    example: `${OK}x a : b\ncontent-length: 2\r\n\r\nok`,
    holds: (text) => readWhole(Buffer.from(text, 'latin1')).flaws.length > 0,
  },
  {
    ours: 'refuses',
    why: 'a NUL byte in the reason is no text (RFC 9112 §4)',
    example: 'HTTP/1.1 200 O\0K\r\ncontent-length: 2\r\n\r\nok',
    holds: (text) => /HTTP\/\d\.\d \d{3} [^\r\n]*\0/.test(text),
  },
  {
    ours: 'refuses',
    why: 'a status below 100 is none (RFC 9110 §15)',
    example: 'HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\nok',
    holds: (text) => /HTTP\/\d\.\d 0/.test(text),
  },
];

interface Verdict {
  readonly taken: boolean;
  readonly status: number;
  readonly body: string;
}

/** A connection that answers every request with the given bytes and closes. */
function answering(bytes: Buffer): Duplex {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, callback) {
      callback();
      this.push(bytes);
      setImmediate(() => this.push(null));
    },
  });
}

function askNode(bytes: Buffer): Promise<Verdict> {
  return new Promise((resolve) => {
    const refused = { taken: false, status: 0, body: '' };
    const request = http.request({ host: '127.0.0.1', createConnection: () => answering(bytes) });
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('latin1');
      response.on('data', (text) => {
        body += text;
      });
      response.on('error', () => resolve(refused));
      response.on('end', () => resolve({ taken: response.complete, status: response.statusCode ?? 0, body }));
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(refused);
    });
    request.on('error', () => resolve(refused));
    request.end();
  });
}

function ours({ state, status, body }: Reading): Verdict {
  return state === 'done' ? { taken: true, status, body } : { taken: false, status: 0, body: '' };
}

test('valid responses give the same result in both parsers', async () => {
  for (const [what, text] of Object.entries(SOUND)) {
    const bytes = Buffer.from(text, 'latin1');
    assert.deepEqual(ours(readWhole(bytes)), await askNode(bytes), what);
  }
});

for (const { ours: verdict, why, example } of DIFFERENCES) {
  test(`ours ${verdict}, Node does not: ${why}`, async () => {
    const bytes = Buffer.from(example, 'latin1');
    assert.equal(ours(readWhole(bytes)).taken, verdict === 'takes');
    assert.equal((await askNode(bytes)).taken, verdict !== 'takes');
  });
}

test('both parsers accept and refuse the same damaged responses, except for the listed differences', async () => {
  const texts = Object.values(SOUND);
  let taken = 0;
  for (let seed = 0; seed < 800; seed++) {
    const random = generator(seed * 7919);
    const bytes = damage(Buffer.from(texts[random(texts.length)]!, 'latin1'), random);
    const mine = ours(readWhole(bytes));
    const theirs = await askNode(bytes);
    if (theirs.taken) taken += 1;
    if (mine.taken === theirs.taken && mine.status === theirs.status && mine.body === theirs.body) continue;
    const text = bytes.toString('latin1');
    const verdict = mine.taken ? 'takes' : 'refuses';
    const listed = DIFFERENCES.some((difference) => difference.ours === verdict && difference.holds(text));
    assert.ok(listed, `seed ${seed}: ours ${verdict} ${JSON.stringify(text)}`);
  }
  // A parser must not pass by refusing everything.
  assert.ok(taken > 100, `${taken} taken`);
});
