import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type LeaseClock, LeaseKeeper, type LeaseRules } from '../../../src/watcher/report/lease-keeper.ts';

const folder = mkdtempSync(join(tmpdir(), 'lease-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

class Hands implements LeaseClock {
  wall = 1_800_000_000_000;
  steady = 5_000;
  up = 90_000;
  now = () => this.wall;
  steadyMs = () => this.steady;
  uptimeMs = () => this.up;
  pass(ms: number): void {
    this.wall += ms;
    this.steady += ms;
    this.up += ms;
  }
}

async function keeper(rules: Partial<LeaseRules> = {}) {
  const [file, clock] = [join(folder, `lease-${files++}.json`), new Hands()];
  const open = () => LeaseKeeper.open(file, rules, clock);
  return { file, clock, open, lease: await open() };
}

const asks = (holder: string, more: { forMs?: number; token?: string; seq?: number } = {}) => ({
  holder,
  forMs: more.forMs ?? 60_000,
  token: more.token ?? null,
  seq: more.seq ?? 10,
});

async function given(lease: LeaseKeeper, request: Parameters<LeaseKeeper['take']>[0]): Promise<string> {
  const outcome = await lease.take(request);
  assert.ok(outcome.isGiven, JSON.stringify(outcome));
  return outcome.lease.token;
}

test('W7 if many crawlers ask at once, one gets the lease', async () => {
  const { lease } = await keeper();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => lease.take(asks(`crawler-${i}`))));
  assert.equal(outcomes.filter(({ isGiven }) => isGiven).length, 1);
  assert.deepEqual(lease.view(), { by: 'server', held: true, holder: 'crawler-0', untilMs: 1_800_000_060_000 });
});

test('a holder that dies keeps the lease until it expires', async () => {
  const { lease, clock } = await keeper();
  await given(lease, asks('one'));
  clock.pass(59_999);
  const refused = await lease.take(asks('two'));
  assert.deepEqual(!refused.isGiven && refused.retryAfterMs, 1);
  clock.pass(1);
  assert.equal(lease.view().held, false);
  await given(lease, asks('two'));
});

test('W7 nobody holds the lease longer than the maximum, with or without renewal, also across a restart', async () => {
  const { lease, clock, open } = await keeper({ longestMs: 100_000 });
  const token = await given(lease, asks('one'));
  clock.pass(50_000);
  await given(lease, asks('one', { token }));
  const again = await open();
  clock.pass(40_000);
  await given(again, asks('one', { token }));
  const view = again.view();
  assert.equal(view.held && view.untilMs, clock.now() + 10_000);
  assert.equal((await again.take(asks('two'))).isGiven, false);
  clock.pass(10_000);
  assert.equal((await again.take(asks('one', { token }))).isGiven, false);
  await given(again, asks('two'));
});

test('setting the clock makes no lease expire early or late', async () => {
  const { lease, clock } = await keeper();
  await given(lease, asks('one'));
  clock.wall += 86_400_000;
  assert.equal((await lease.take(asks('two'))).isGiven, false);
  const view = lease.view();
  assert.equal(view.held && view.untilMs, clock.wall + 60_000, 'until follows the current clock');
  clock.wall -= 10 * 86_400_000;
  clock.pass(60_000);
  await given(lease, asks('two'));
});

test('a lease is on disk before the response, and survives a restart', async () => {
  const { lease, clock, open, file } = await keeper();
  const token = await given(lease, asks('one'));
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).token, token);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  clock.pass(20_000);
  clock.steady = 3;
  const again = await open();
  assert.equal((await again.take(asks('two'))).isGiven, false);
  await given(again, asks('one', { token }));
  clock.pass(60_000);
  await given(await open(), asks('two'));
});

test('a lease survives a kill of the watcher after the response', async () => {
  const file = join(folder, `lease-${files++}.json`);
  const code = `
    import { LeaseKeeper } from ${JSON.stringify(new URL('../../../src/watcher/report/lease-keeper.ts', import.meta.url).href)};
    const lease = await LeaseKeeper.open(${JSON.stringify(file)});
    const outcome = await lease.take({ holder: 'one', forMs: 60_000, token: null, seq: 1 });
    process.stdout.write(outcome.lease.token);
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [token] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  const again = await LeaseKeeper.open(file);
  assert.equal((await again.take(asks('two'))).isGiven, false);
  assert.equal(await given(again, asks('one', { token: token.toString() })), token.toString());
});

test('across a restart, a clock set forward does not end the lease, and one set back does not prolong it', async () => {
  const { lease, clock, open } = await keeper();
  await given(lease, asks('one'));
  clock.pass(1_000);
  clock.wall += 86_400_000;
  const forward = await open();
  assert.equal((await forward.take(asks('two'))).isGiven, false);
  clock.wall -= 30 * 86_400_000;
  const back = await open();
  assert.equal((await back.take(asks('two'))).isGiven, false);
  clock.pass(60_000);
  await given(back, asks('two'));
  // After a restart of the machine only the wall clock is valid.
  clock.up = 0;
  clock.wall += 60_000;
  await given(await open(), asks('three'));
});

test('a renewal needs the token and the name, and counts from the time of the renewal', async () => {
  const { lease, clock } = await keeper({ longestMs: 150_000 });
  const late = await given(lease, asks('late'));
  clock.pass(70_000);
  assert.equal(await given(lease, asks('late', { token: late })), late, 'late, but no other crawler took the lease');
  assert.equal(await lease.release(late), true);
  const token = await given(lease, asks('one'));
  assert.equal((await lease.take(asks('one'))).isGiven, false, 'the name alone is not enough');
  assert.equal((await lease.take(asks('two', { token }))).isGiven, false);
  assert.equal((await lease.take(asks('one', { token: `${token}x` }))).isGiven, false);
  clock.pass(50_000);
  assert.equal(await given(lease, asks('one', { token, forMs: 1e9 })), token);
  clock.pass(99_999);
  assert.equal(lease.view().held, true, 'the lease lasts for the maximum, not for the requested time');
  clock.pass(1);
  assert.equal(lease.view().held, false);
  await given(lease, asks('two'));
  assert.equal((await lease.take(asks('one', { token }))).isGiven, false);
  clock.pass(60_000);
  assert.equal((await lease.take(asks('one', { token }))).isGiven, false, 'another crawler took the lease in between');
});

test('W7 after a release the lease can be taken at once, after a time, or after a change', async () => {
  const atOnce = await keeper();
  const token = await given(atOnce.lease, asks('one'));
  assert.equal(await atOnce.lease.release('wrong'), false);
  assert.equal(await atOnce.lease.release(token), true);
  assert.equal(await atOnce.lease.release(token), true);
  const second = await given(atOnce.lease, asks('two'));
  assert.equal(await atOnce.lease.release(token), false);
  assert.notEqual(second, token);

  const time = await keeper({ reset: 'time', restMs: 300_000 });
  await time.lease.release(await given(time.lease, asks('one')));
  time.clock.pass(100_000);
  const rests = await (await time.open()).take(asks('two'));
  assert.equal(!rests.isGiven && rests.retryAfterMs, 200_000);
  assert.equal(rests.lease.held, false);
  time.clock.pass(200_000);
  await given(time.lease, asks('two'));

  const event = await keeper({ reset: 'event' });
  await event.lease.release(await given(event.lease, asks('one', { seq: 10 })));
  assert.equal((await event.lease.take(asks('two', { seq: 10 }))).isGiven, false);
  assert.equal((await (await event.open()).take(asks('two', { seq: 10 }))).isGiven, false);
  await given(event.lease, asks('two', { seq: 11 }));
  event.clock.pass(60_000);
  await given(event.lease, asks('three', { seq: 11 }));
});

test('a lease that was never delivered does not count', async () => {
  const { lease, open } = await keeper({ reset: 'event' });
  await lease.takeBack(await given(lease, asks('one')));
  assert.equal((await open()).view().held, false);
  await given(lease, asks('two'));
});

test('a damaged lease file counts as a lease of an unknown holder for the maximum time', async () => {
  for (const text of ['', '{', 'null', '{"holder":"one"}']) {
    const { file, clock, open } = await keeper();
    writeFileSync(file, text);
    const lease = await open();
    assert.equal((await lease.take(asks('two'))).isGiven, false, text);
    clock.pass(3_600_000);
    await given(lease, asks('two'));
  }
});

test('no lease is given if the disk cannot be written', async () => {
  const lease = await LeaseKeeper.open(join(folder, 'missing', 'lease.json'), {}, new Hands());
  await assert.rejects(lease.take(asks('one')));
  assert.equal(lease.view().held, false);
});

test('W7 an unknown crawler has a shorter lease, with or without renewal, also across a restart', async () => {
  const { lease, clock, open } = await keeper({ longestMs: 3_600_000, anonymousMs: 120_000 });
  const token = await given(lease, asks('evil', { forMs: 999_999_999_000 }));
  assert.deepEqual(lease.view(), { by: 'server', held: true, holder: 'evil', untilMs: clock.wall + 120_000 });
  clock.pass(100_000);
  await given(lease, asks('evil', { forMs: 999_999_999_000, token }));
  const again = await open();
  clock.pass(20_000);
  assert.deepEqual([lease.view().held, again.view().held], [false, false]);
  await given(lease, { ...asks('weaver', { forMs: 3_000_000 }), isKnown: true });
  clock.pass(2_000_000);
  assert.equal(lease.view().held, true);
  assert.equal((await open()).view().held, true);
});

test('W7 the lease of an unknown crawler blocks no known crawler; a known crawler blocks all', async () => {
  const { lease, open } = await keeper({ reset: 'event' });
  const evil = await given(lease, asks('evil'));
  const known = await given(lease, { ...asks('weaver'), isKnown: true });
  assert.equal((lease.view() as { holder: string }).holder, 'weaver');
  assert.equal(await lease.release(evil), false);
  assert.equal((await lease.take(asks('evil', { token: evil }))).isGiven, false);
  assert.equal((await lease.take({ ...asks('other'), isKnown: true })).isGiven, false);
  const restarted = await open();
  assert.equal((await restarted.take({ ...asks('other'), isKnown: true })).isGiven, false);
  await lease.release(known);
  assert.equal((await lease.take({ ...asks('other'), isKnown: true })).isGiven, false, 'nothing has changed since');
  const later = await given(lease, asks('evil', { seq: 11 }));
  await lease.release(later);
  assert.equal((await lease.take(asks('one', { seq: 11 }))).isGiven, false);
  await given(lease, { ...asks('weaver', { seq: 11 }), isKnown: true });
});

test('a lease file of an earlier version, without the field for known crawlers, stays valid', async () => {
  const { file, lease, open } = await keeper();
  await given(lease, asks('one'));
  const { isKnown, ...old } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(isKnown, false);
  writeFileSync(file, JSON.stringify(old));
  assert.equal(((await open()).view() as { holder: string }).holder, 'one');
});
