import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Ledger } from '../../testbed/web/ledger.ts';
import { reply, startWeb } from '../../testbed/web/local-web.ts';
import { site } from '../../testbed/web/site.ts';

test('each address is a host of its own, and a shared ledger sees them all', async () => {
  const ledger = new Ledger();
  const one = await startWeb({ ledger });
  const two = await startWeb({ ledger, address: '127.0.0.9' });
  for (const web of [one, two]) web.on('/', reply('hello'));
  assert.equal(await (await fetch(one.url('/'))).text(), 'hello');
  assert.equal(await (await fetch(two.url('/'))).text(), 'hello');
  assert.equal((await fetch(two.url('/nowhere'))).status, 404);
  assert.equal(ledger.count('/'), 2);
  assert.equal(ledger.of(two.host).length, 2);
  assert.ok(two.host.startsWith('127.0.0.9:'));
  await Promise.all([one.close(), two.close()]);
});

test('the ledger counts what runs at the same time, and the gaps between starts', async () => {
  const ledger = new Ledger();
  const endA = ledger.begin('h', '/a');
  const endB = ledger.begin('h', '/b');
  ledger.begin('other', '/x');
  endA();
  endA();
  ledger.begin('h', '/c');
  endB();
  assert.deepEqual(
    ledger.of('h').map((entry) => entry.parallel),
    [1, 2, 2],
  );
  assert.equal(ledger.maxParallel('h'), 2);
  assert.equal(ledger.maxParallel('unknown'), 0);
  assert.ok(ledger.minGapMs('h') >= 0);
  assert.equal(ledger.minGapMs('other'), Number.POSITIVE_INFINITY);
  await ledger.seen('/c');
});

test('close does not wait for clients that hang', async () => {
  const web = await startWeb();
  const idle = connect(Number(new URL(web.origin).port), '127.0.0.1');
  idle.on('error', () => {});
  const waiting = fetch(web.bad('NeverAnswers')).catch(() => 'ended');
  await web.ledger.seen('/NeverAnswers');
  await web.close();
  assert.equal(await waiting, 'ended');
  assert.equal(web.connections, 0);
});

test('a flaky page fails twice and then works', async () => {
  const web = await startWeb();
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await fetch(web.bad('Flaky'))).status);
  assert.deepEqual(statuses, [500, 500, 200, 200]);
  await web.close();
});

test('a site is the same every time, and every page can be reached from the first', () => {
  const small = site({ pages: 200, linksPerPage: 6, bytes: 3_000, seed: 7 });
  assert.equal(small.html(5), site({ pages: 200, linksPerPage: 6, bytes: 3_000, seed: 7 }).html(5));
  assert.notEqual(small.html(5), site({ pages: 200, linksPerPage: 6, bytes: 3_000, seed: 8 }).html(5));
  const found = new Set(['/']);
  for (const path of found) {
    const page = small.paths.indexOf(path);
    for (const match of small.html(page).matchAll(/href="([^"]+)"/g)) found.add(match[1]!);
  }
  assert.equal(found.size, 200);
  assert.ok(Math.abs(small.html(3).length - 3_000) < 100);
});
