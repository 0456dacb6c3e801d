import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countFetched, findPageTimes } from '../../bench/web/access-log.ts';
import { WebPlan } from '../../bench/web/plan.ts';

it('the log of a run counts distinct pages, repeats, failures and other requests separately', () => {
  const plan = new WebPlan({ seed: 1, pages: 4, hosts: 2 }, 21_400);
  const log = [
    '200 127.0.0.1 /robots.txt 24 -',
    '200 127.0.0.1 / 14000 gzip',
    '200 127.0.0.2 / 36000 -',
    '200 127.0.0.2 / 36000 -',
    `500 127.0.0.1 ${plan.path(2)} 10 -`,
    `200 127.0.0.1 ${plan.path(3)} 10 -`,
    '',
  ].join('\n');
  assert.deepEqual(countFetched(log, plan), {
    distinctPages: 2,
    repeatedPages: 1,
    // Page 3 is on the other host, so the same path on this host is not a page of the web.
    otherRequests: 2,
    failures: 1,
    gzippedPages: 1,
    bodyBytes: 86_044,
  });
});

it('the times of a run are those of its pages alone', () => {
  const plan = new WebPlan({ seed: 1, pages: 3, hosts: 1 }, 21_400);
  const log = [
    '200 127.0.0.1 /robots.txt 24 - 1731668400.000',
    `200 127.0.0.1 ${plan.path(2)} 14000 gzip 1731668401.500`,
    `200 127.0.0.1 ${plan.path(1)} 14000 gzip 1731668403.250`,
    '200 127.0.0.1 / 14000 gzip 1731668401.125',
    '404 127.0.0.1 /missing 153 - 1731668409.000',
    '',
  ].join('\n');
  const [firstAtMs, halfAtMs, lastAtMs] = [1_731_668_401_125, 1_731_668_401_500, 1_731_668_403_250];
  assert.deepEqual(findPageTimes(log, plan), { firstAtMs, halfAtMs, lastAtMs });
  assert.equal(findPageTimes('', plan), null);
});
