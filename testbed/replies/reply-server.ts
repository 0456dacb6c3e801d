/**
 * A raw TCP server on loopback. In: replies by name. Out: a URL for each of them. It sends the bytes of the reply as
 * they are, whole or byte by byte, and closes the connection.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { RawReplies } from './reply.ts';

export interface ReplyServer {
  readonly origin: string;
  /** Connections that were ever accepted. */
  readonly accepted: number;
  /** With `inBytes`, the reply is sent byte by byte. */
  urlOf(name: string, inBytes?: boolean): string;
  close(): Promise<void>;
}

export async function startReplyServer(replies: RawReplies): Promise<ReplyServer> {
  const names = Object.keys(replies);
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    sockets.add(socket);
    let request = '';
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      request += bytes.toString('latin1');
      if (!request.endsWith('\r\n\r\n')) return;
      const [, index = '', inBytes] = /^GET \/(\d+)(\/bytes)? /.exec(request) ?? [];
      const reply = Buffer.from(replies[names[Number(index)] ?? ''] ?? '', 'latin1');
      if (inBytes === undefined) socket.end(reply);
      else sendInBytes(socket, reply, 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    get accepted() {
      return accepted;
    },
    urlOf: (name, inBytes = false) => `${origin}/${names.indexOf(name)}${inBytes ? '/bytes' : ''}`,
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
    },
  };
}

/** The client reads between two bytes, because both ends of the connection wait for the same event loop. */
function sendInBytes(socket: Socket, reply: Buffer, at: number): void {
  if (at === 0) socket.setNoDelay(true);
  if (at >= reply.length || socket.destroyed) {
    socket.end();
    return;
  }
  socket.write(reply.subarray(at, at + 1), () => setImmediate(() => sendInBytes(socket, reply, at + 1)));
}
