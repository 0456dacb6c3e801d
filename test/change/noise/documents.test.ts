/** docs/noise.md agrees with the tables in the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { REGION_KINDS } from '../../../src/change/noise/learned/region-kinds.ts';
import { MIN_VERSIONS } from '../../../src/change/noise/learned/volatile-regions.ts';
import { NOISE_RULE_NAMES, NOISE_RULES } from '../../../src/change/noise/rule-table.ts';
import { AD_HOSTS, ANALYTICS_HOSTS } from '../../../src/url/ad-hosts.ts';

const document = readFileSync(new URL('../../../docs/noise.md', import.meta.url), 'utf8');

test('docs/noise.md describes every rule as in the code', () => {
  const rows = document.split('\n').filter((line) => line.startsWith('| `'));
  const expected = NOISE_RULE_NAMES.map((name) => {
    const { matches, why, example } = NOISE_RULES[name];
    return `| \`${name}\` | ${matches} | ${why} | \`${example}\` |`;
  });
  assert.deepEqual(rows, expected, `the table should be:\n${expected.join('\n')}`);
});

test('docs/noise.md has every kind of region and the same figures as the code', () => {
  for (const kind of REGION_KINDS) assert.ok(document.includes(`- **${kind}**`), kind);
  assert.ok(document.includes(`at least ${MIN_VERSIONS} versions`));
  assert.ok(document.includes(`${AD_HOSTS.size} ad-serving hosts and ${ANALYTICS_HOSTS.size} that count visitors`));
});

test('the host lists contain host names only, and none is a subdomain of another', () => {
  for (const hosts of [AD_HOSTS, ANALYTICS_HOSTS]) {
    for (const host of hosts) {
      assert.match(host, /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/);
      const labels = host.split('.');
      for (let at = 1; at < labels.length; at++) assert.ok(!hosts.has(labels.slice(at).join('.')), host);
    }
  }
});
