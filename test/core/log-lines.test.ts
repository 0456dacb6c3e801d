/** `--log json`: every line on stderr is one object, with documented names. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LOG_EVENTS, type LogEvent, logLine } from '../../src/core/text/log-lines.ts';
import { startLivingSite } from '../../testbed/web/living-site.ts';
import { runCli } from '../cli/setup/run-cli.ts';

interface Line {
  readonly event: LogEvent;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** Parses a log, and checks the form of its lines. */
function linesOf(stderr: string): Line[] {
  assert.ok(stderr.endsWith('\n'), stderr);
  return stderr
    .slice(0, -1)
    .split('\n')
    .map((text) => {
      const line = JSON.parse(text) as Line;
      const [time, level, event, ...fields] = Object.keys(line);
      assert.deepEqual([time, level, event], ['time', 'level', 'event']);
      assert.deepEqual(fields.sort(), LOG_EVENTS[line.event][0].split(' ').sort(), text);
      assert.match(text, /^\{"time":"\d{4}-\d\d-\d\dT[\d:.]+Z","level":"(?:info|warning|error)","event":"/);
      assert.doesNotMatch(text, /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u);
      return line;
    });
}

test('M6 docs/logs.md has every event of the log', () => {
  const text = readFileSync(new URL('../../docs/logs.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `[a-z]+(?:\/[a-z]+)?` \| `/.test(line));
  const expected = Object.entries(LOG_EVENTS).map(([event, [fields, when]]) => {
    return `| \`${event}\` | ${fields.replaceAll(/\w+/g, '`$&`')} | ${when} |`;
  });
  assert.deepEqual(rows, expected, expected.join('\n'));
});

test('M6 a crawl and a refresh log their start, warnings, progress, stages and end as JSON lines', async (t) => {
  const site = await startLivingSite(t);
  site.set('/', '<title>Home</title><p>one');
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const own = ['--dir', join(folder, 'copy'), '--units', '1', '--log', 'json'];
  const secret = ['--header', '*|X-Key: s3cr3t-value'];
  const crawled = await runCli('crawl', site.web.url('/'), ...own, ...secret, '--json');
  const lines = linesOf(crawled.stderr);
  assert.deepEqual(
    lines.map(({ event }) => event).filter((event) => event !== 'crawl/progress'),
    ['run/start', 'crawl/stages', 'run/summary', 'run/end'],
  );
  assert.doesNotMatch(crawled.stderr, /s3cr3t/);
  assert.deepEqual(lines.find(({ event }) => event === 'run/summary')!.summary, JSON.parse(crawled.stdout));
  const { stages } = lines.find(({ event }) => event === 'crawl/stages') as unknown as { stages: { stage: string }[] };
  assert.ok(stages.some(({ stage }) => stage === 'commit') && stages.some(({ stage }) => stage === 'fetch'));
  assert.equal(lines.at(-1)!.exitCode, 0);

  site.set('/', '<title>Home</title><p>two');
  // A listener prints text that could end a line or imitate one.
  const script = join(folder, 'tell.sh');
  writeFileSync(script, '#!/bin/sh\nprintf \'{"level":"error"}\\r\\033[2Jforged\\342\\200\\250next\\n\'\n', {
    mode: 0o755,
  });
  const refreshed = linesOf((await runCli('refresh', ...own, ...secret, '--on-change', script)).stderr);
  const said = refreshed.filter(({ event }) => event === 'refresh/said').map(({ line }) => line);
  assert.ok(String(said).includes('forged'), JSON.stringify(refreshed));
  assert.ok(refreshed.some(({ event }) => event === 'run/summary'));
});

test('M6 refusals are lines of the log too, and a form that does not exist is refused', async () => {
  const misspelt = linesOf((await runCli('crawl', 'http://a.test/', '--log', 'json', '--limt', '1')).stderr);
  assert.deepEqual(
    misspelt.map(({ event, code, level }) => [event, level, code ?? null]),
    [
      ['run/start', 'info', null],
      ['error', 'error', 'ERR_UNKNOWN_OPTION'],
      ['run/end', 'info', null],
    ],
  );
  const yaml = await runCli('crawl', 'http://a.test/', '--log', 'yaml');
  assert.deepEqual([yaml.exitCode, yaml.stdout], [2, '']);
  assert.match(yaml.stderr, /--log must be one of text, json, not "yaml"/);
});

test('M6 a watcher logs JSON lines', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-log-watch-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'index.html'), 'main');
  const state = mkdtempSync(join(tmpdir(), 'orbweaver-log-state-'));
  t.after(() => rmSync(state, { recursive: true }));
  const words = ['--url', 'http://a.test/', '--state', state, '--once', '--cpu', '100%', '--log=json'];
  const lines = linesOf((await runCli('watch', folder, ...words)).stderr);
  const events = lines
    .map(({ event }) => event)
    .filter((event) => !['watch/progress', 'watch/warning'].includes(event));
  assert.deepEqual(events, ['run/start', 'watch/once', 'run/end']);
  const bad = linesOf((await runCli('watch', folder, '--url', 'nonsense', '--log', 'json')).stderr);
  assert.ok(bad.some(({ event }) => event === 'error'));
});

test('M6 a line of the log contains no character that a terminal or a reader of lines could take for its end', () => {
  const message = 'a\u0085b\u2028c\u2029d\u001b[31m\u202ee\r\nf"}\n{"level":"error"}';
  const text = logLine('info', 'message', { message });
  const [line] = linesOf(text);
  assert.equal(line!.message, message);
});
