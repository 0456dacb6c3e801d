/** docs/errors.md and docs/options.md agree with the tables in the code: every row is rendered here and compared. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ERROR_CODES, type ErrorCode, OrbweaverError } from '../../src/core/errors.ts';
import { CLUSTER_OPTIONS } from '../../src/core/options/cluster-options.ts';
import { type KeepRule, keepRule, ruleText } from '../../src/core/options/keep-rule.ts';
import type { OptionRow } from '../../src/core/options/option-table.ts';
import { CRAWL_OPTIONS, flagName } from '../../src/core/options/options.ts';
import { REFRESH_OPTIONS } from '../../src/core/options/refresh-options.ts';
import { SERVE_OPTIONS } from '../../src/core/options/serve-options.ts';
import { REASONS } from '../../src/core/reasons.ts';
import { WATCH_OPTIONS } from '../../src/watcher/watch-options.ts';

/** The table rows of a document that begin with a word in code. */
function rowsOf(document: string): string[] {
  const text = readFileSync(new URL(`../../docs/${document}`, import.meta.url), 'utf8');
  return text.split('\n').filter((line) => line.startsWith('| `'));
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function optionRow([name, option]: readonly [string, OptionRow<unknown>]): string {
  const { parse, help } = option;
  const value = parse.hint === '' ? '–' : `\`${parse.hint}\``;
  return row(`\`--${flagName(name)}\``, value, defaultText(option), help);
}

function defaultText({ default: value, parse }: OptionRow<unknown>): string {
  if (parse.hint === keepRule.hint) return ruleText(value as KeepRule);
  if (value === null) return parse.hint.endsWith('auto') ? 'auto' : '–';
  if (Array.isArray(value)) return value.join(' ') || '–';
  if (parse.hint.startsWith('<time>')) {
    const days = Number(value) / 86_400_000;
    return days >= 1 ? `${days}d` : `${Number(value) / 1_000}s`;
  }
  if (parse.hint !== '<size>') return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
  const bytes = Number(value);
  return bytes % 1_000_000 === 0 ? `${bytes / 1_000_000}mb` : `${bytes}`;
}

test('docs/options.md equals the tables of all options', () => {
  const tables = [CRAWL_OPTIONS, CLUSTER_OPTIONS, REFRESH_OPTIONS, SERVE_OPTIONS, WATCH_OPTIONS];
  const expected = tables.flatMap((table) => Object.entries<OptionRow<unknown>>(table)).map(optionRow);
  assert.deepEqual(rowsOf('options.md'), expected, `the table should be:\n${expected.join('\n')}`);
});

test('docs/options.md names the kind of every option', () => {
  const text = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8');
  const rows = [CRAWL_OPTIONS, REFRESH_OPTIONS, CLUSTER_OPTIONS, SERVE_OPTIONS].flatMap((table) =>
    Object.entries<OptionRow<unknown>>(table),
  );
  for (const [title, kind] of [
    ['local setting', 'local'],
    ['secret', 'secret'],
  ]) {
    const flags = rows.filter(([, row]) => row.kind === kind).map(([name]) => `\`--${flagName(name)}\``);
    assert.ok(text.includes(`\n| ${title} | ${flags.join(' ')} | `), `${title}: ${flags.join(' ')}`);
  }
});

test('docs/errors.md equals the tables of reasons and error codes', () => {
  const codes = Object.entries(ERROR_CODES).map(([code, [exit, meaning]]) => row(`\`${code}\``, String(exit), meaning));
  const reasons = Object.entries(REASONS).map(([reason, meaning]) => row(`\`${reason}\``, meaning));
  const expected = [...codes, ...reasons];
  assert.deepEqual(rowsOf('errors.md'), expected, `the tables should be:\n${expected.join('\n')}`);
});

test('an error has its code, its exit code and its cause', () => {
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    const cause = new Error('why');
    const error = new OrbweaverError(code, 'what to do', { cause });
    assert.deepEqual([error.code, error.exitCode, error.cause], [code, ERROR_CODES[code][0], cause]);
    assert.ok(error.exitCode === 1 || error.exitCode === 2);
  }
});
