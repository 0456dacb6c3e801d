/**
 * Run by private-network.test.ts. Sets up a network with two places and prints what each
 * place can see, as one JSON object on stdout.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isInside, PrivateNetwork, runInside } from '../../bench/cluster/private-network.ts';

const BYTES = 120_000;
const WEB = '10.77.100.1';
/** Requests some bytes and prints how many bytes arrived, the time they took, and the addresses of the place. */
const ASK = `
const startedAt = performance.now();
let bytes = 0;
const socket = require('node:net').connect(8080, '${WEB}');
socket.on('data', (piece) => { bytes += piece.length; });
socket.on('close', () => {
  const addresses = Object.values(require('node:os').networkInterfaces()).flat().map(({ address }) => address);
  console.log(JSON.stringify({ bytes, ms: performance.now() - startedAt, addresses }));
});`;

if (!isInside()) process.exit(await runInside());

const network = await PrivateNetwork.lay([WEB]);
const from: string[] = [];
const server = createServer((socket) => {
  from.push(socket.remoteAddress ?? '');
  socket.end(Buffer.alloc(BYTES));
}).listen(8080, WEB);
await once(server, 'listening');
const places = [await network.addPlace({ megabitsPerSecond: 1, latencyMs: 1 }), await network.addPlace(null)];
if (process.argv[2] === 'wait') {
  const program = 'process.stdout.write("ready"); setInterval(() => {}, 1000)';
  const [first, ...rest] = [...places[0]!.prefix, process.execPath, '-e', program];
  const child = spawn(first!, rest, { stdio: ['ignore', 'pipe', 'ignore'] });
  // Before the program runs, the words in front of it have not yet bound it to this process.
  await once(child.stdout, 'data');
  process.stdout.write(`${JSON.stringify({ pid: process.pid, child: child.pid })}\n`);
  await once(child, 'exit');
}
const seen = [];
for (const { prefix } of places) {
  const [first, ...rest] = [...prefix, process.execPath, '-e', ASK];
  const child = spawn(first!, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await once(child, 'close');
  seen.push(JSON.parse(text));
}
await network.close();
const links = execFileSync('ip', ['-o', 'link'], { encoding: 'utf8' });
server.close();
process.stdout.write(`${JSON.stringify({ seen, from, places: places.map(({ address }) => address), links })}\n`);
