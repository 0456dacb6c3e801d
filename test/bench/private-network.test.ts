import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { whyNoNetwork } from '../../bench/cluster/private-network.ts';
import { isRunning } from '../../testbed/measure/process-tree.ts';

const PROBE = join(import.meta.dirname, 'network-probe.ts');
const skip = (await whyNoNetwork()) ?? false;

function ourLinks(): string {
  return execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' }).replaceAll(/ (?:state|mode|qlen) \S+/g, '');
}

describe('a private network', { skip }, () => {
  it('gives each place an address and a bandwidth, and leaves the machine unchanged', async () => {
    const before = ourLinks();
    const { stdout } = await promisify(execFile)(process.execPath, [PROBE]);
    const { seen, from, places, links } = JSON.parse(stdout);
    assert.deepEqual(from, places);
    assert.deepEqual(
      seen.map(({ bytes }: { bytes: number }) => bytes),
      [120_000, 120_000],
    );
    for (const [place, { addresses }] of seen.entries()) {
      assert.deepEqual(
        addresses.filter((each: string) => each.includes('.')),
        ['127.0.0.1', places[place]],
      );
    }
    // Everything beyond the allowed burst is slowed down: one megabit per second is 125 bytes per millisecond.
    assert.ok(seen[0].ms >= (120_000 - 16_384) / 125, `${seen[0].ms} ms`);
    assert.doesNotMatch(links, /near/);
    assert.equal(ourLinks(), before);
  });

  it('disappears with all its processes when its own process is killed', async () => {
    const before = ourLinks();
    const probe = spawn(process.execPath, [PROBE, 'wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [text] = (await once(probe.stdout.setEncoding('utf8'), 'data')) as [string];
    const { pid, child } = JSON.parse(text) as { pid: number; child: number };
    assert.ok(existsSync(`/proc/${child}`));
    probe.kill('SIGKILL');
    await once(probe, 'exit');
    for (const each of [pid, child]) {
      // The process that adopts an orphan may leave it as a zombie for a while.
      for (let tries = 0; isRunning(each) && tries < 500; tries++) await sleep(10);
      assert.ok(!isRunning(each), `${each} still runs`);
    }
    assert.equal(ourLinks(), before);
  });
});
