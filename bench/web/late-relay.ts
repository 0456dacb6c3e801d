/**
 * Simulates a distant server: forwards connections to a near server, and delays its responses.
 *
 *     node late-relay.ts <host,host,…> <port> <port-of-the-server> <ms>
 *
 * All data is delayed by the same time, so a response takes that much longer but the bandwidth of
 * a connection is unchanged.
 */
import { connect, createServer, type Socket } from 'node:net';

const [hostList = '', portText, serverPortText, lateText] = process.argv.slice(2);
const lateMs = Number(lateText);

function relay(host: string, near: Socket): void {
  const far = connect(Number(serverPortText), host);
  for (const socket of [near, far]) socket.setNoDelay(true);
  near.pipe(far);
  far.on('data', (piece) => setTimeout(() => near.write(piece), lateMs));
  far.on('end', () => setTimeout(() => near.end(), lateMs));
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    socket.on('error', () => other.destroy());
  }
  near.on('close', () => far.destroy());
}

for (const host of hostList.split(',')) createServer((near) => relay(host, near)).listen(Number(portText), host);
