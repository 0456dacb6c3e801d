/**
 * Tells when an answer is sent or never will be. Node tells of an answer that it has begun to send; of one that waits
 * behind another on the same
 * connection (pipelining) it says nothing when the connection closes. Whoever counts answers must hear of both, or one
 * visitor could use up all places for good.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const waiting = new WeakMap<Socket, Set<() => void>>();

/** Nobody will get it any more. */
export function isGone({ socket }: IncomingMessage, response: ServerResponse): boolean {
  return response.destroyed || socket.destroyed;
}

/** Calls back once. */
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
