import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { archivedHttpHead } from '../../src/archive/exchange-records.ts';
import { readCapture } from '../../src/archive/warc-reader.ts';
import { archiveFolder, exchange, writerIn } from './exchange.ts';
import { readWithWarcio } from './independent-reader.ts';

function lines(rawHeaders: string[], payloadBytes = 5, status = 200): string[] {
  const head = archivedHttpHead(status, 'OK', rawHeaders, payloadBytes);
  assert.ok(head.endsWith('\r\n\r\n'));
  return head.slice(0, -4).split('\r\n').slice(1);
}

test('headers stay as received, order, case and repeats included', () => {
  const received = ['sErVer', 'x', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'content-length', '5'];
  assert.deepEqual(lines(received), ['sErVer: x', 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'content-length: 5']);
});

test('headers with lengths and codings that are no longer correct are kept under another name', () => {
  assert.deepEqual(lines(['Transfer-Encoding', 'chunked']), [
    'X-Archive-Orig-Transfer-Encoding: chunked',
    'Content-Length: 5',
  ]);
  assert.deepEqual(lines(['Content-Length', '99']), ['X-Archive-Orig-Content-Length: 99', 'Content-Length: 5']);
  assert.deepEqual(lines(['Content-Length', '5', 'Content-Length', '5']), [
    'Content-Length: 5',
    'X-Archive-Orig-Content-Length: 5',
  ]);
});

test('a response that never has a body gets no length', () => {
  assert.deepEqual(lines([], 0, 304), []);
  assert.deepEqual(lines([], 0, 204), []);
  assert.deepEqual(lines([], 0, 200), ['Content-Length: 0']);
});

test('a header cannot add lines to the stored head', () => {
  const nasty = ['X-Fold', 'a\r\n  b', 'X-Inject', 'a\r\nEvil: 1\r\n\r\nbody', 'X-Nul', 'a\0b', 'X-Wide', 'Ċč'];
  const odd = ['bad name:\r\nEvil: 2', 'v', '', 'nameless', ':status', '200', 'unpaired'];
  const head = archivedHttpHead(200, 'fine\r\nEvil: 3', [...nasty, ...odd], 1);
  assert.deepEqual(head.split('\r\n'), [
    'HTTP/1.1 200 fine  Evil: 3',
    'X-Fold: a b',
    'X-Inject: a  Evil: 1    body',
    'X-Nul: a b',
    `X-Wide: ${Buffer.from('Ċč').toString('latin1')}`,
    'bad_name___Evil__2: v',
    'Content-Length: 1',
    '',
    '',
  ]);
  assert.doesNotMatch(Buffer.from(head, 'latin1').toString('latin1'), /[^\r]\n|\r[^\n]|^Evil/m);
});

test('chunked leftovers and latin1 survive a round trip', async (t) => {
  const dir = archiveFolder(t);
  const writer = writerIn(dir);
  const body = [Buffer.from('5\r\nlooks chunked but is not')];
  const place = writer.append(
    exchange({ statusText: 'caf\xe9', rawHeaders: ['X-Latin', 'na\xefve', 'Transfer-Encoding', 'chunked'], body }),
  );
  await writer.close();
  const capture = await readCapture(dir, place);
  assert.equal(capture.statusText, 'caf\xe9');
  assert.deepEqual(capture.rawHeaders.slice(0, 2), ['X-Latin', 'na\xefve']);
  const response = (await readWithWarcio(join(dir, place.file)))[1]!;
  assert.equal(response.http!.get('transfer-encoding'), undefined);
  assert.equal(response.http!.get('content-length'), String(body[0]!.length));
  assert.ok(response.payload.equals(body[0]!));
});
