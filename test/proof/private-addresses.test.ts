/**
 * Tests that DNS leads a public crawl to no private address, with a real name server and real listeners on the private
 * addresses. This is a sample of `npm run proof -- private-addresses`, which tries 60 addresses in every way.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf, tryWays } from '../../proof/private-addresses.ts';
import { whyNoNamespace } from '../../testbed/web/closed-network/enter.ts';

/** At least one of each kind: IPv4, metadata, IPv6, NAT64. */
const TARGETS = '12';
const WAYS = ['opens nothing else', 'before a refresh'];

test('no private address is reached by DNS that is mixed or changes, unless it is allowed', {
  skip: whyNoNamespace() ?? false,
}, async () => {
  const results = await tryWays([TARGETS, ...WAYS], () => {});
  assert.equal(results.length, WAYS.length);
  for (const result of results) {
    for (const { what, holds, target, measured } of rowsOf(result)) {
      assert.ok(holds, `${result.way}: ${what} should be ${target}, is ${measured}: ${JSON.stringify(result)}`);
    }
  }
});
