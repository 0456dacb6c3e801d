import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePage } from '../../src/page/page.ts';

const read = (body: string, type: string) =>
  parsePage(Buffer.from(body), type, 'http://a.test/x', { wantText: true, maxLinks: 100 });

test('HTML by its content type', () => {
  for (const type of ['text/html', 'TEXT/HTML; charset=utf-8', 'application/xhtml+xml', ' text/html ;x']) {
    assert.deepEqual([read('<a href=x>', type).kind, read('<a href=x>', type).links.length], ['html', 1], type);
  }
  assert.equal(read('no markup at all', 'text/html').kind, 'html');
  assert.equal(read('', 'text/html').kind, 'html');
});

test('XHTML served as XML', () => {
  const page = read('<?xml version="1.0"?><html xmlns="x"><body><a href="x"/></body></html>', 'application/xml');
  assert.deepEqual([page.kind, page.links.length], ['html', 1]);
});

test('without a content type, a document that begins like HTML is read as HTML', () => {
  for (const body of ['<!DOCTYPE html>x', '\n <HTML lang=en>', '<!-- x -->', '\ufeff<p>x', '<a href=x>', '<script>']) {
    assert.equal(read(body, '').kind, 'html', body);
  }
  for (const body of ['', 'text <a href=x>', '<abc>', '{"a":1}', '%PDF-1.7', '\x89PNG', '<?php']) {
    assert.equal(read(body, '').kind, 'other', body);
  }
});

test('documents of other types are not parsed', () => {
  for (const type of [
    'text/plain',
    'application/pdf',
    'image/png',
    'text/css',
    'application/javascript',
    'application/octet-stream',
  ]) {
    const page = read('<html><a href=x>text', type);
    assert.deepEqual([page.kind, page.links, page.text, page.title], ['other', [], '', ''], type);
  }
  assert.equal(read('<svg xmlns="x"><a href="x"/></svg>', 'image/svg+xml').kind, 'other');
});

test('a page in a legacy encoding is decoded correctly', () => {
  const body = Buffer.concat([Buffer.from('<title>'), Buffer.from([0x93, 0xfa, 0x96, 0x7b]), Buffer.from('</title>')]);
  const page = parsePage(body, 'text/html; charset=Shift_JIS', '', { wantText: false, maxLinks: 10 });
  assert.deepEqual([page.charset, page.title], ['shift_jis', '日本']);
});
