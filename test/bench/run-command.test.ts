import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { runCommand } from '../../testbed/measure/run-command.ts';

const cwd = tmpdir();

it('a command is measured with its children', async () => {
  // The child uses 100 MB and the CPU for a moment; the parent only waits for the child.
  const child =
    'const kept = Buffer.alloc(100 << 20, 1); const end = Date.now() + 1_500; while (Date.now() < end); kept[0];';
  const parent = `require('child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(child)}]); console.log('{"pages":1}')`;
  const measured = await runCommand({ program: process.execPath, args: ['-e', parent], cwd }, 30_000);
  assert.equal(measured.failure, undefined);
  assert.equal(measured.stdout.trim(), '{"pages":1}');
  assert.ok(measured.peakRssMb > 100, `${measured.peakRssMb} MB`);
  assert.ok(measured.cpuSeconds > 0.05, `${measured.cpuSeconds} s`);
});

it('a command that fails, hangs or does not exist is a result with a reason', async () => {
  const failing = await runCommand(
    { program: process.execPath, args: ['-e', 'console.error("no luck"); process.exit(3)'], cwd },
    30_000,
  );
  assert.match(failing.failure!, /exit code 3: no luck/);
  const hanging = await runCommand(
    { program: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], cwd },
    300,
  );
  assert.match(hanging.failure!, /took longer than 0.3 s/);
  const missing = await runCommand({ program: '/nowhere/crawler', args: [], cwd }, 30_000);
  assert.notEqual(missing.failure, undefined);
});
