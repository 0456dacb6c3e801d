/**
 * Tests that all commands give the same numbers for one copy: after a crawl, and after refreshes that find changed,
 * new, gone and returned pages.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChanges } from '../../src/cli/list-changes.ts';
import { refreshSentences } from '../../src/cli/text/refresh-sentences.ts';
import type { CrawlSummary } from '../../src/crawl/crawl-summary.ts';
import { openCopy } from '../../src/index.ts';
import { BEHAVIOURS } from '../../testbed/web/behaviours.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { crawlHere } from '../crawl/crawl-here.ts';
import { changesIn, refreshHere } from '../crawl/refresh/refresh-here.ts';
import { dataFolder } from '../crawl/stored-crawl.ts';
import { runCommands } from './setup/run-commands.ts';

const page = (title: string, text: string) =>
  reply(`<!doctype html><title>${title}</title><main><p>${text}</p></main>`);
const EDITED = 'Opening hours: Monday to Saturday, 9:00 to 18:00. Adults pay 14.00 euros each, children nothing.';
const PATHS = ['edited', 'titled', 'same', 'copy', 'lost', 'down', 'secret', 'moved', 'leaving', 'back', 'deep/er'];

interface Row {
  readonly url: string;
  readonly state: string;
  readonly reason: string | null;
  readonly bytes: number;
  readonly checks: number | null;
  readonly changes: number | null;
}

/** Runs the reading commands on the copy, all in one process. */
function read(dir: string, urls: readonly string[]) {
  const commands = [
    ['status', '--json'],
    ['export', '--format', 'jsonl'],
    ...urls.flatMap((url) => ['explain', 'history', 'diff'].map((name) => [name, url, '--json'])),
  ];
  const [status, rows, ...facts] = runCommands(
    'this',
    process.env,
    commands.map((words) => [...words, '--dir', dir]),
  ).map(({ stdout, outcome, words }) => {
    assert.ok(outcome === '0' || outcome === 'undefined', `${words.join(' ')}: ${outcome}`);
    return stdout;
  });
  return {
    status: JSON.parse(status!),
    rows: rows!
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Row),
    facts: new Map(urls.map((url, i) => [url, facts.slice(3 * i, 3 * i + 3).map((text) => JSON.parse(text))])),
  };
}

type Read = ReturnType<typeof read>;

function compareCounts(summary: CrawlSummary, { status, rows }: Read): void {
  const exported = (...states: string[]) => rows.filter(({ state }) => states.includes(state));
  const retrying = exported('waiting').filter(({ reason }) => reason !== null).length;
  assert.deepEqual(
    Object.entries(status.states),
    Object.keys(status.states).map((state) => [state, exported(state).length]),
    'status and export',
  );
  const { pages, duplicates, failed, skipped, waiting, discovered, bytes } = summary;
  assert.deepEqual(
    { pages, duplicates, failed, skipped, waiting, discovered, bytes },
    {
      pages: status.states.fetched,
      duplicates: status.states.duplicate,
      failed: status.states.failed + status.retrying,
      skipped: status.states.skipped,
      waiting: status.states.waiting,
      discovered: rows.length,
      bytes: status.bytes,
    },
    'crawl and status',
  );
  assert.deepEqual([status.retrying, summary.retrying], [retrying, retrying], 'URLs that are retried');
  const host = status.hosts[0];
  assert.deepEqual(
    [host.pages, host.waiting, host.failed],
    [pages + duplicates, waiting, status.states.failed],
    'the host has all URLs',
  );
  const reasons: Record<string, number> = {};
  for (const { reason, state } of rows) {
    if (reason !== null && state !== 'waiting') reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  assert.deepEqual(status.reasons, reasons, 'reasons in status and export');
}

test('crawl, refresh, status, export, explain, history, diff and the library give the same numbers', async (t) => {
  const web = await startWeb();
  t.after(() => web.close());
  const url = (path: string) => web.url(`/${path}`);
  web.on('/robots.txt', reply('User-agent: *\nDisallow: /secret', { 'content-type': 'text/plain' }));
  web.on('/', reply(PATHS.map((path) => `<a href="/${path}">${path}</a>`).join(' ')));
  web.on('/edited', page('Museum', 'Opening hours: Monday to Friday, 9:00 to 17:00. Adults pay 12.50 euros each.'));
  web.on('/titled', page('Old title', 'A text that stays as it is.'));
  for (const path of ['/same', '/copy']) web.on(path, page('Same', 'The same text twice.'));
  web.on('/down', BEHAVIOURS.Flaky(1_000));
  web.on('/moved', reply('', { location: '/same' }, 301));
  web.on('/leaving', page('Leaving', 'This page will be gone.'));
  web.on('/back', page('Back', 'This page will be gone and come back.'));
  web.on('/deep/er', page('Deeper', 'A page in a folder.'));
  const dir = dataFolder(t);
  const summary = await crawlHere(dir, [web.url('/')], { patience: '0s' });
  assert.deepEqual([summary.pages, summary.duplicates, summary.failed, summary.skipped], [7, 1, 2, 2]);
  compareCounts(summary, read(dir, []));

  web.on('/edited', page('Museum', EDITED));
  web.on('/titled', page('New title', 'A text that stays as it is.'));
  web.on('/', reply([...PATHS, 'new'].map((path) => `<a href="/${path}">${path}</a>`).join(' ')));
  web.on('/new', page('New', 'A new page.'));
  for (const path of ['/leaving', '/back']) web.on(path, reply('', {}, 410));
  const first = await refreshHere(dir);
  assert.deepEqual([first.new, first.changed, first.gone, first.returned, first.missing], [1, 3, 2, 0, 0]);
  const lines = refreshSentences(first, await listChanges(dir, 0, first.edits), `--dir ${dir}`);
  web.on('/back', page('Back', 'This page is back.'));
  const second = await refreshHere(dir, { maxInterval: '1ms' });
  assert.deepEqual([second.new, second.changed, second.returned], [0, 0, 1]);

  const changes = await changesIn(dir);
  const { status, rows, facts } = read(dir, [url('edited'), url('titled'), url('back')]);
  assert.equal(status.changes, changes.length);
  const noted = [...changes].filter(({ kind }) => kind !== 'orphaned').map(({ kind }) => kind);
  const counted = [first, second].flatMap((one) => [
    ...Array(one.new).fill('new'),
    ...Array(one.changed).fill('changed'),
    ...Array(one.gone).fill('gone'),
    ...Array(one.returned).fill('returned'),
  ]);
  assert.deepEqual(noted.sort(), counted.sort(), 'the summaries and the change log');

  await using copy = await openCopy(dir);
  for (const [path, added, removed] of [
    ['edited', 5, 3],
    ['titled', 1, 1],
  ] as const) {
    const [explained, history, diff] = facts.get(url(path))!;
    const words = [added, removed];
    assert.deepEqual([diff.wordsAdded, diff.wordsRemoved], words, `diff of ${path}`);
    const look = history.looks[0];
    assert.deepEqual([look.wordsAdded, look.wordsRemoved], words, `history of ${path}`);
    const { change } = look.noted;
    assert.deepEqual([change.kinds, change.wordsAdded, change.wordsRemoved], [['text'], ...words], `log of ${path}`);
    assert.match(lines.find((line) => line.includes(url(path)))!, new RegExp(`text, \\+${added} −${removed} words$`));
    const [told] = (await Array.fromAsync(copy.changes())).filter((one) => one.url === url(path));
    assert.deepEqual([told!.change!.wordsAdded, told!.change!.wordsRemoved], words, `library on ${path}`);
    const row = rows.find((one) => one.url === url(path))!;
    assert.deepEqual([row.changes, row.checks], [1, 2], `export of ${path}`);
    assert.deepEqual([explained.visits.changes, explained.visits.looks], [1, 3], `explain of ${path}`);
    assert.deepEqual([history.visits.changes, history.visits.looks], [1, 3]);
  }
  const [, history] = facts.get(url('back'))!;
  assert.equal(rows.find((one) => one.url === url('back'))!.changes, history.visits.changes);
  assert.equal(history.visits.changes, 2, 'gone and returned');
});
