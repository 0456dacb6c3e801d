/**
 * Runs on every Node that the watcher supports: before Node 24, Node does not
 * report every answer whose connection is gone.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { NODES } from '../built-watcher.ts';

const folder = mkdtempSync(join(tmpdir(), 'on-disconnect-'));
after(() => rmSync(folder, { recursive: true }));

/**
 * Sends eight requests on one connection that reads nothing and closes. Prints the number
 * of answers that were not reported as gone.
 */
const PROGRAM = `
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { whenGone } from ${JSON.stringify(fileURLToPath(new URL('../../../src/watcher/serve/on-disconnect.ts', import.meta.url)))};
let [begun, left] = [0, 0];
const server = createServer((request, response) => {
  begun++;
  left++;
  whenGone(request, response, () => left--);
  setTimeout(() => response.writeHead(200).end('x'.repeat(2_000_000)), 50);
});
server.listen(0, '127.0.0.1', () => {
  const socket = connect(server.address().port, '127.0.0.1').pause();
  socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'.repeat(8));
  const timer = setInterval(() => {
    if (begun < 8) return;
    clearInterval(timer);
    setTimeout(() => socket.destroy(), 300);
    setTimeout(() => {
      console.log(left);
      process.exit();
    }, 1_500);
  }, 20);
});
`;

for (const [name, node] of Object.entries(NODES)) {
  test(`queued responses of a closed connection are reported as gone, on ${name}`, {
    skip: node === undefined && `${name} is not installed: npm test installs it`,
  }, async () => {
    const [source, bundled] = [join(folder, 'program.ts'), join(folder, 'program.cjs')];
    writeFileSync(source, PROGRAM);
    buildSync({ entryPoints: [source], outfile: bundled, bundle: true, platform: 'node', target: 'node18' });
    const { stdout } = await promisify(execFile)(node!, [bundled]);
    assert.equal(stdout.trim(), '0');
  });
}
