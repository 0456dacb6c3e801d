import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type ConnectOptions, MAX_TLS_SESSIONS } from '../connector.ts';
import type { GuardedLookup } from '../guarded-lookup.ts';
import { stripBrackets } from '../private-address.ts';

/** Where to connect to. */
export interface DialTarget {
  readonly origin: string;
  /** Name or address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Called with every piece that is read, in a buffer that holds the next piece afterwards. */
export type ReadListener = (length: number, bytes: Buffer) => void;

/**
 * One for all connections of a thread: what is read is used up before the next read. Streams make a buffer for every read,
 * and the collector pays for each.
 */
const READ_BUFFER_BYTES = 64 * 1024;
const readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);

const KEEP_ALIVE_PROBE_MS = 60_000;

export function dialTarget(origin: string): DialTarget {
  const { protocol, hostname, port } = new URL(origin);
  const secure = protocol === 'https:';
  return { origin, hostname: stripBrackets(hostname), secure, port: port === '' ? (secure ? 443 : 80) : Number(port) };
}

/** Opens sockets for our own HTTP/1.1; which address they lead to is for `GuardedLookup` to say. */
export class Dialer {
  readonly #guard: GuardedLookup;
  readonly #options: ConnectOptions;
  /** By origin, the last used one last. */
  readonly #sessions = new Map<string, Buffer>();

  constructor(guard: GuardedLookup, options: ConnectOptions) {
    this.#guard = guard;
    this.#options = options;
  }

  get connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs;
  }

  /**
   * A socket that is being connected, or the reason why none may be. With `offerH2` it is an ordinary one, which can
   * be handed on should the server choose HTTP/2; without, what it reads goes to `onRead` alone.
   */
  dial(target: DialTarget, offerH2: boolean, onRead: ReadListener): Socket | Error {
    const { origin, hostname, port, secure } = target;
    const refusal = this.#guard.literalError(origin, hostname);
    if (refusal !== null) return refusal;
    const lookup = this.#guard.lookupFor(origin);
    const onread = {
      buffer: readBuffer,
      callback: (length: number, bytes: Uint8Array): boolean => {
        onRead(length, bytes as Buffer);
        return true;
      },
    };
    const address = { host: hostname, port, autoSelectFamily: true, lookup: lookup as never };
    try {
      const socket = secure
        ? this.#dialTls(target, offerH2 ? address : { ...address, onread }, offerH2)
        : connect({ ...address, onread });
      return socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    } catch (error) {
      return error as Error;
    }
  }

  /** Why nothing may be sent on a socket that is connected; null when it may. */
  connectedError({ origin }: DialTarget, socket: Socket): Error | null {
    return this.#guard.connectedError(origin, socket);
  }

  /** The connection could not be made. */
  failed(target: DialTarget): void {
    this.#guard.failed(target.hostname);
  }

  #dialTls({ origin, hostname }: DialTarget, address: object, offerH2: boolean): TLSSocket {
    const session = this.#sessions.get(origin);
    const socket = connectTls({
      ...address,
      ALPNProtocols: offerH2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      rejectUnauthorized: this.#options.rejectUnauthorized,
      // RFC 6066 §3: an address is no server name.
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(session === undefined ? {} : { session }),
    });
    socket.on('session', (fresh) => this.#remember(origin, fresh));
    return socket;
  }

  #remember(origin: string, session: Buffer): void {
    this.#sessions.delete(origin);
    this.#sessions.set(origin, session);
    if (this.#sessions.size <= MAX_TLS_SESSIONS) return;
    const oldest = this.#sessions.keys().next();
    if (!oldest.done) this.#sessions.delete(oldest.value);
  }
}
