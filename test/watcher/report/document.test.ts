/**
 * docs/watcher-report.md agrees with the code: its tables and examples are read here and compared with real reports.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EVENT_NAMES } from '../../../src/watcher/records.ts';
import { parseCursor } from '../../../src/watcher/report/cursor.ts';
import { draftReport, MAX_ENTRIES } from '../../../src/watcher/report/draft-report.ts';
import { byRank, endLine, headLine } from '../../../src/watcher/report/report-lines.ts';
import { REPORT_PATH, SITEMAP_PATH } from '../../../src/watcher/serve/handler.ts';
import { PARAMETERS } from '../../../src/watcher/serve/question.ts';
import { SiteInMemory, sourceOf } from './site-in-memory.ts';

const text = readFileSync(join(import.meta.dirname, '../../../docs/watcher-report.md'), 'utf8');
const section = (from: string) => text.slice(text.indexOf(from), text.indexOf('\n#', text.indexOf(from)));
const rows = (from: string) => [...section(from).matchAll(/^\| `([^`=]+)/gm)].map(([, name]) => name!);
const example = section('## What it is')
  .match(/```json\n([^`]*)```/)![1]!
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

async function realReport() {
  const site = new SiteInMemory();
  site.begin(['/', '/a', '/b', '/c']);
  const page = site.pageOf('/a', 'new', [{ events: ['onclick'], sources: ['a#b'], target: 't', value: 'f()' }]);
  await site.note([{ kind: 'updated', atMs: 5, page, was: 'before', from: null, to: null }]);
  await site.move('/b', '/d', false);
  const report = await draftReport(sourceOf(site), { since: parseCursor('k3f9x2.0'), limit: MAX_ENTRIES });
  const lease = { by: 'server' as const, held: true as const, holder: 'x', untilMs: 1, token: 't' };
  const head = headLine({ ...report, site: 'https://www.example.org', pages: 4, atMs: 1, lease });
  return { head: JSON.parse(head), entries: report.lines.map(({ line }) => JSON.parse(line)), lines: report.lines };
}

test('the tables of the specification name the existing fields and parameters', async () => {
  const { head, entries } = await realReport();
  assert.deepEqual(rows('## How it is asked for'), [...PARAMETERS]);
  assert.deepEqual(rows('### The head'), Object.keys(head));
  const fields = new Set(entries.flatMap((entry) => Object.keys(entry)));
  assert.deepEqual(new Set(rows('### Entries')), fields);
  for (const field of Object.keys(head.lease)) assert.match(section('### The head'), new RegExp(`\`${field}\``));
  assert.ok(text.includes(REPORT_PATH) && text.includes(SITEMAP_PATH));
  assert.ok(text.includes(MAX_ENTRIES.toLocaleString('en-GB')));
  for (const name of EVENT_NAMES) assert.ok(section('### Events').includes(`\`${name}\``));
});

test('the example is a valid report: fields in order, most important entries first, and a counted end', async () => {
  const { head, entries, lines } = await realReport();
  const [first, ...rest] = example;
  const end = rest.pop();
  assert.deepEqual(Object.keys(first), Object.keys(head));
  assert.deepEqual(Object.keys(first.lease), ['by', 'held']);
  assert.equal(`${JSON.stringify(end)}\n`, endLine(rest.length));
  const ranked = rest.map((entry: { rank: number; url: string }) => ({ ...entry, line: '' }));
  assert.deepEqual(ranked.toSorted(byRank), ranked);
  for (const entry of rest) {
    const real = entries.find(({ change }) => change === entry.change)!;
    assert.deepEqual(
      Object.keys(entry),
      Object.keys(real).filter((name) => name !== 'events'),
    );
    if (entry.level !== undefined) assert.equal(entry.rank, Math.round((entry.frequency + entry.level) * 1e4) / 1e4);
  }
  assert.ok(parseCursor(first.since) !== null && parseCursor(first.cursor) !== null);
  assert.deepEqual(lines.toSorted(byRank), lines);
});
