import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMoment } from '../../src/core/text/moment.ts';
import { timeText } from '../../src/core/text/readable.ts';

const RIGHT: Readonly<Record<string, string>> = {
  '2026': '2026-12-31T23:59:59.999Z',
  '2026-02': '2026-02-28T23:59:59.999Z',
  '2024-02': '2024-02-29T23:59:59.999Z',
  '2026-11-15': '2026-11-15T23:59:59.999Z',
  '2026-11-15T10:30': '2026-11-15T10:30:59.999Z',
  '2026-11-15 10:30:05': '2026-11-15T10:30:05.999Z',
  '2026-11-15t10:30:05z': '2026-11-15T10:30:05.999Z',
  '2026-11-15 10:30:05 UTC': '2026-11-15T10:30:05.999Z',
  '2026-11-15T10:30:05.1Z': '2026-11-15T10:30:05.199Z',
  '2026-11-15T10:30:05.123Z': '2026-11-15T10:30:05.123Z',
  '2026-11-15T10:30:05.123456789Z': '2026-11-15T10:30:05.123Z',
  '2026-11-15T10:30:05+02:00': '2026-11-15T08:30:05.999Z',
  '2026-11-15T10:30-0530': '2026-11-15T16:00:59.999Z',
  '2026-12-31T23:59:59-01': '2027-01-01T00:59:59.999Z',
  '202611': '2026-11-30T23:59:59.999Z',
  '20261115': '2026-11-15T23:59:59.999Z',
  '2026111510': '2026-11-15T10:59:59.999Z',
  '202611151030': '2026-11-15T10:30:59.999Z',
  '20261115103005': '2026-11-15T10:30:05.999Z',
  '20261115T103005Z': '2026-11-15T10:30:05.999Z',
  '0050': '0050-12-31T23:59:59.999Z',
  '9999': '9999-12-31T23:59:59.999Z',
};

test('a time means the last millisecond of the written period', () => {
  for (const [text, right] of Object.entries(RIGHT)) {
    assert.equal(new Date(parseMoment(text) ?? Number.NaN).toISOString(), right, text);
  }
});

test('a printed time selects the response that was fetched then', () => {
  const fetchedAtMs = Date.UTC(2025, 10, 15, 9, 46, 40, 123);
  for (const text of [timeText(fetchedAtMs), new Date(fetchedAtMs).toISOString(), '20251115094640']) {
    assert.ok(parseMoment(text)! >= fetchedAtMs, text);
  }
});

test('text that is not a time is refused', () => {
  const wrong = [
    ...['', ' ', 'now', 'yesterday', '26', '202', '20261', '2026-1', '2026-1-1', '2026-13', '2026-00', '2026-11-31'],
    ...['2026-02-29', '2026-11-15T24:00', '2026-11-15T10:60', '2026-11-15T10:30:60', '2026-11-15T10', '2026-11-15T'],
    ...['202613', '20261131', '2026111524', '2026111510300', '202611151030051', '2026-1115', '2026-11-15T10:30+24:00'],
    ...['2026-11-15T10:30+00:60', '2026-11-15 10:30 CET', '+2026', '-2026', '99999', '2026-11-15\n', '２０２６'],
    ...['1'.repeat(100_000), `2026-11-15T10:30:05.${'1'.repeat(100_000)}`],
  ];
  for (const text of wrong) assert.equal(parseMoment(text), null, text.slice(0, 40));
});
