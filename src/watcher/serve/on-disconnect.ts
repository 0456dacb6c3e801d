/**
 * Detects when a response is sent or will never be sent. Node emits `close` for a response that it has begun to send.
 * For a response that waits behind another on the same connection (pipelining), Node emits nothing when the connection
 * closes. Code that counts responses needs both, or one client could use up all places for good.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/** The response can no longer reach the client. */
export function isGone({ socket }: IncomingMessage, response: ServerResponse): boolean {
  return response.destroyed || socket.destroyed;
}

/** Calls `done` once. */
export function whenGone(request: IncomingMessage, response: ServerResponse, done: () => void): void {
  const { socket } = request;
  const ofSocket = waiting.get(socket) ?? watch(socket);
  const once = () => {
    if (ofSocket.delete(once)) done();
  };
  ofSocket.add(once);
  response.once('close', once);
  if (isGone(request, response)) once();
}

function watch(socket: Socket): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(socket, callbacks);
  socket.once('close', () => {
    for (const callback of [...callbacks]) callback();
  });
  return callbacks;
}
