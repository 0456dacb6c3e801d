/** Measures the usage of a tree of processes while some of the processes start and end. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { useOfTree } from '../../testbed/measure/process-tree.ts';

/** A parent whose children each work for a few hundredths of a second and then end. */
const BROOD = 'while :; do (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); done';
const READINGS = 2_000;

test('the CPU time of ended processes is included: the time of a process tree never decreases', async (t) => {
  const parent = spawn('sh', ['-c', BROOD], { stdio: 'ignore', detached: true });
  t.after(() => process.kill(-parent.pid!, 'SIGKILL'));
  let mostSeconds = 0;
  let readings = 0;
  while (mostSeconds < 0.5 || readings < READINGS) {
    const { cpuSeconds } = useOfTree(parent.pid!);
    assert.ok(cpuSeconds >= mostSeconds, `${cpuSeconds} s after ${mostSeconds} s`);
    mostSeconds = cpuSeconds;
    readings++;
  }
});
