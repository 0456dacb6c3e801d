import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLUSTER_OPTIONS } from '../../../src/core/options/cluster-options.ts';
import { resolveTable } from '../../../src/core/options/option-table.ts';
import { CRAWL_OPTIONS, optionsFromEnvironment } from '../../../src/core/options/options.ts';
import { REFRESH_OPTIONS } from '../../../src/core/options/refresh-options.ts';
import { SERVE_OPTIONS } from '../../../src/core/options/serve-options.ts';
import {
  parseRules,
  RULE_OPTIONS,
  rulesText,
  SECRET_NAMES,
  type StoredRules,
  settleRules,
  sourceOf,
} from '../../../src/core/options/stored-rules.ts';
import { sampleRules } from './sample-rules.ts';

const TABLES = { crawl: CRAWL_OPTIONS, refresh: REFRESH_OPTIONS, cluster: CLUSTER_OPTIONS, serve: SERVE_OPTIONS };

const settle = (given: Record<string, unknown>, stored: StoredRules | null = null) =>
  settleRules([{ from: 'test', given }], stored);

test('every option is a rule, a local setting or a secret, and no name is in two tables', () => {
  const names = Object.values(TABLES).flatMap((table) => Object.keys(table));
  assert.equal(new Set(names).size, names.length);
  const kinds = Object.groupBy(
    Object.values(TABLES).flatMap((table) => Object.entries<{ readonly kind: string }>(table)),
    ([, { kind }]) => kind,
  );
  const namesOf = (kind: string) => (kinds[kind] ?? []).map(([name]) => name);
  assert.deepEqual(Object.keys(kinds).sort(), ['local', 'rule', 'secret']);
  assert.deepEqual(namesOf('secret'), [
    'leaseKey',
    'proxy',
    'header',
    'auth',
    'webhookSecret',
    'archiveToken',
    'token',
  ]);
  assert.deepEqual(namesOf('rule'), Object.keys(RULE_OPTIONS));
  // A test of these names makes whoever adds an option think about its kind.
  assert.deepEqual(namesOf('local').slice(0, 5), ['concurrency', 'units', 'liveHosts', 'archiveFile', 'share']);
  assert.ok(!Object.hasOwn(RULE_OPTIONS, 'secrets'), 'this name is used for the list of secrets');
});

test('every rule that differs from its default is stored and read back', () => {
  for (const [name, value] of Object.entries(sampleRules('examples.txt'))) {
    const { rules } = settle({ [name]: value });
    assert.deepEqual(Object.keys(rules.values), [name], name);
    const read = parseRules(rulesText(rules));
    const before = resolveTable(RULE_OPTIONS, [{ from: 'test', given: { [name]: value } }]);
    assert.deepEqual(resolveTable(RULE_OPTIONS, [sourceOf(read)]), before, name);
    assert.deepEqual(settle({}, read).changes, [], name);
  }
});

test('the stored rules are weaker than flags, the environment and the file, and stronger than the defaults', () => {
  const stored = settle({ depth: 1, limit: 2, perHost: 3, delay: '300ms' }).rules;
  const { options } = settleRules(
    [
      { from: 'flag', given: { depth: '7' } },
      { from: 'environment', given: optionsFromEnvironment({ ORBWEAVER_LIMIT: '8', ORBWEAVER_DEPTH: '6' }) },
      { from: 'file', given: { perHost: 9, limit: 5 } },
    ],
    stored,
  );
  const { depth, limit, perHost, delay, scope } = options;
  assert.deepEqual([depth, limit, perHost, delay, scope], [7, 8, 9, 300, 'host']);
});

test('a given value replaces the stored one, and the change is said in words', () => {
  const stored = settle({ limit: 5, delay: '300ms', exclude: ['*/a', '*/b'], http2: false, maxBody: '1mb' }).rules;
  const { rules, changes } = settle(
    { limit: 50, delay: 'auto', exclude: 'none', http2: true, maxBody: '2mb', depth: 10 },
    stored,
  );
  assert.deepEqual(rules.values, { limit: 50, maxBody: 2_000_000 });
  assert.deepEqual(
    changes.map(({ text }) => text),
    [
      '--limit 50 (was 5)',
      '--exclude none (was */a, */b)',
      '--delay auto (was 300ms)',
      '--max-body 2mb (was 1mb)',
      '--http2 on (was off)',
    ],
  );
  assert.deepEqual(settle({ limit: 5 }).changes, [], 'a new crawl has no change');
});

test('words replace stored examples of a topic, and the other way round', () => {
  const words = settle({ topic: 'silk' }).rules;
  const examples = settle({ topicExamples: 'a.txt' }, words).rules;
  assert.deepEqual(examples.values, { topicExamples: 'a.txt' });
  assert.deepEqual(settle({ topic: 'silk' }, examples).rules.values, { topic: 'silk' });
  assert.deepEqual(settle({ topic: 'none' }, words).rules.values, {});
});

const SECRETS = {
  header: 'a.test|X: s3cr3t',
  auth: 'a.test|u:s3cr3t',
  proxy: 'http://u:s3cr3t@p.test:1',
  leaseKey: 'a.test|n:s3cr3t',
};

test('of a secret only the name is stored, and a later run without it is told', () => {
  assert.deepEqual(Object.keys(SECRETS).sort(), [...SECRET_NAMES].sort());
  const { rules } = settle({ ...SECRETS, depth: 3, units: 4, share: 'group' });
  assert.equal(rulesText(rules), '{"depth":3,"secrets":["leaseKey","proxy","header","auth"]}');
  const stored = parseRules(rulesText(rules));
  assert.deepEqual(settle({}, stored).missing, SECRET_NAMES);
  assert.deepEqual(settle({}, stored).rules, stored, 'the name stays');
  assert.deepEqual(settle(SECRETS, stored).missing, []);
  const without = settle({ ...SECRETS, header: 'none', proxy: 'none' }, stored);
  assert.deepEqual([without.missing, without.rules.secrets], [[], ['leaseKey', 'auth']]);
  assert.deepEqual(
    without.changes.map(({ text }) => text),
    ['--proxy is no longer needed', '--header is no longer needed'],
  );
});

test('secrets, local settings and unknown names in stored rules are ignored, and so is a text that is no object', () => {
  const planted = { ...SECRETS, units: 9, share: 'all', onChange: 'rm -rf /', depth: 3, order: null, other: 1 };
  assert.deepEqual(parseRules(JSON.stringify(planted)), { values: { depth: 3 }, secrets: [] });
  assert.deepEqual(parseRules('{"secrets":["units","header","nothing"]}'), { values: {}, secrets: ['header'] });
  for (const text of ['', 'x', '[1]', '7', 'null', '"x"']) {
    assert.deepEqual(parseRules(text), { values: {}, secrets: [] }, text);
  }
});
