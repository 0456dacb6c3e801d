import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { AccessLog } from '../../../src/watcher/serve/access-log.ts';
import { takeInLine } from '../../../src/watcher/serve/log-lease.ts';

const folder = mkdtempSync(join(tmpdir(), 'access-log-'));
after(() => rmSync(folder, { recursive: true }));
const clock = { now: Date.now, after: () => () => undefined };
let files = 0;

async function followed(text: string | null) {
  const file = join(folder, `access-${files++}`);
  if (text !== null) writeFileSync(file, text);
  const lines: string[] = [];
  const log = new AccessLog(file, (line) => void lines.push(line), { clock });
  await log.start();
  after(() => log.stop());
  return { file, lines, log };
}

test('every complete line after the start is delivered once', async () => {
  const { file, lines, log } = await followed('old\nolder');
  appendFileSync(file, ' still old\none\r\ntw');
  await log.poll();
  assert.deepEqual(lines, ['one']);
  appendFileSync(file, 'o\nthree\n');
  await Promise.all([log.poll(), log.poll()]);
  assert.deepEqual(lines, ['one', 'two', 'three']);
});

test('a rotated log is read to its end, and then the new log from its beginning', async () => {
  const { file, lines, log } = await followed('old\n');
  appendFileSync(file, 'before\n');
  renameSync(file, `${file}.1`);
  appendFileSync(`${file}.1`, 'late\ncut off');
  await log.poll();
  writeFileSync(file, 'after\n');
  await log.poll();
  assert.deepEqual(lines, ['before', 'late', 'after']);
});

test('a truncated log is read from its beginning, even if it has grown past the last position', async () => {
  const { file, lines, log } = await followed('old old old\n');
  truncateSync(file);
  appendFileSync(file, 'a\n');
  await log.poll();
  truncateSync(file);
  appendFileSync(file, 'b\nc\nd\n');
  await log.poll();
  assert.deepEqual(lines, ['a', 'b', 'c', 'd']);
});

test('a missing log is read when it appears; huge lines and invalid bytes do no harm', async () => {
  const { file, lines, log } = await followed(null);
  await log.poll();
  writeFileSync(
    file,
    Buffer.concat([
      Buffer.alloc(300_000, 'x'),
      Buffer.from('\nfine\n'),
      Buffer.alloc(20_000, 0),
      Buffer.from('\n\xff\xfe\n', 'latin1'),
    ]),
  );
  await log.poll();
  assert.deepEqual(lines, ['fine', '\xff\xfe']);
  const folderLog = new AccessLog(folder, () => undefined, { clock });
  await assert.rejects(folderLog.start(), /not a regular file/);
});

test('a take is recognised in the common and the combined log format, and in no other line', () => {
  const path = '/.well-known/orbweaver-report';
  const line = (request: string, status = '200', rest = ' 512 "-" "bot/1.0"') =>
    `203.0.113.9 - - [15/Nov/2026:20:15:00 +0000] "${request}" ${status}${rest}`;
  const take = (text: string) => takeInLine(text, path);
  assert.deepEqual(take(line(`GET ${path}?take=weaver-1 HTTP/1.1`)), {
    address: '203.0.113.9',
    holder: 'weaver-1',
    forMs: null,
  });
  assert.deepEqual(take(line(`GET ${path}?since=k.1&take=a&for=90 HTTP/2.0`, '304', ' 0')), {
    address: '203.0.113.9',
    holder: 'a',
    forMs: 90_000,
  });
  const not = [
    line(`GET ${path} HTTP/1.1`),
    line(`GET ${path}?take=a HTTP/1.1`, '404'),
    line(`HEAD ${path}?take=a HTTP/1.1`),
    line(`GET /other?take=a HTTP/1.1`),
    line(`GET ${path}?take=a&take=b HTTP/1.1`),
    line(`GET ${path}?take=a%22 HTTP/1.1`),
    line(`GET / HTTP/1.1`, '200', ` 5 "GET ${path}?take=a HTTP/1.1" 200 "bot"`),
    line(`GET /x\\"GET ${path}?take=a HTTP/1.1`),
    `GET ${path}?take=a HTTP/1.1`,
    '"'.repeat(10_000),
    '',
  ];
  for (const text of not) assert.equal(take(text), null, text.slice(0, 100));
});
