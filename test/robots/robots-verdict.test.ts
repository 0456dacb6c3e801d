import assert from 'node:assert/strict';
import { test } from 'node:test';
import { robotsFor } from '../../src/robots/match.ts';
import { judgeRobotsAnswer, MAX_CACHE_MS, UNREACHABLE_FORGIVEN_MS } from '../../src/robots/robots-verdict.ts';

const BODY = 'User-agent: *\nDisallow: /x';

test('RFC 9309 2.3.1.1 a success is parsed', () => {
  for (const status of [200, 206, 299]) {
    const verdict = judgeRobotsAnswer({ status, body: BODY, unreachable: false });
    assert.ok(verdict.kind === 'rules');
    assert.equal(robotsFor(verdict.file, 'orbweaver').allows('/x'), false);
  }
  assert.equal(judgeRobotsAnswer({ status: 204, body: null, unreachable: false }).kind, 'rules');
});

test('RFC 9309 2.3.1.2 and 2.3.1.3 redirects without end and client errors allow all', () => {
  for (const status of [301, 302, 308, 400, 401, 403, 404, 410, 451]) {
    assert.deepEqual(judgeRobotsAnswer({ status, body: BODY, unreachable: false }), { kind: 'allow-all' }, `${status}`);
  }
});

test('RFC 9309 2.3.1.4 server errors, timeouts and 429 forbid everything for now', () => {
  for (const status of [429, 500, 503, 599, 0, 101, 700]) {
    assert.equal(judgeRobotsAnswer({ status, body: BODY, unreachable: false }).kind, 'disallow-all', `${status}`);
  }
  assert.equal(judgeRobotsAnswer({ status: 200, body: BODY, unreachable: true }).kind, 'disallow-all');
});

test('the next try comes at the time that the host asked for, within limits', () => {
  const retryOf = (retryAfterMs: number | null) => {
    const verdict = judgeRobotsAnswer({ status: 503, body: null, unreachable: false, retryAfterMs });
    return verdict.kind === 'disallow-all' ? verdict.retryAfterMs : -1;
  };
  assert.equal(retryOf(120_000), 120_000);
  assert.equal(retryOf(0), 10_000);
  assert.equal(retryOf(1e15), MAX_CACHE_MS);
  assert.equal(retryOf(null), 600_000);
});

test('RFC 9309 2.3.1.4 after thirty days without an answer the file counts as unavailable', () => {
  const judge = (unreachableForMs: number) =>
    judgeRobotsAnswer({ status: 0, body: null, unreachable: true, unreachableForMs }).kind;
  assert.equal(judge(UNREACHABLE_FORGIVEN_MS - 1), 'disallow-all');
  assert.equal(judge(UNREACHABLE_FORGIVEN_MS), 'allow-all');
});
