import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { putNewest } from '../../../core/bounded-map.ts';
import type { GuardedLookup } from '../../addresses/guarded-lookup.ts';
import { stripBrackets } from '../../addresses/private-address.ts';
import { type ConnectOptions, MAX_TLS_SESSIONS } from '../connector.ts';

/** The destination of a connection. */
export interface DialTarget {
  readonly origin: string;
  /** Name or address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Called with every piece that is read. The buffer is reused for the next piece. */
export type ReadListener = (length: number, bytes: Buffer) => void;

/**
 * One buffer for all connections of a thread, because each read is processed before the next one. Streams allocate a
 * buffer for every read, which costs garbage collection.
 */
const READ_BUFFER_BYTES = 64 * 1024;
const readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_BYTES);

const KEEP_ALIVE_PROBE_MS = 60_000;

export function dialTarget(origin: string): DialTarget {
  const { protocol, hostname, port } = new URL(origin);
  const secure = protocol === 'https:';
  return { origin, hostname: stripBrackets(hostname), secure, port: port === '' ? (secure ? 443 : 80) : Number(port) };
}

/** Opens sockets for our own HTTP/1.1 client. `GuardedLookup` decides to which addresses they may connect. */
export class Dialer {
  readonly #guard: GuardedLookup;
  readonly #options: ConnectOptions;
  /** TLS sessions keyed by origin. The most recently used session is last. */
  readonly #sessions = new Map<string, Buffer>();

  constructor(guard: GuardedLookup, options: ConnectOptions) {
    this.#guard = guard;
    this.#options = options;
  }

  get connectTimeoutMs(): number {
    return this.#options.connectTimeoutMs;
  }

  /**
   * Returns a connecting socket, or the error that forbids it. With `offerH2` it is an ordinary socket that can be
   * passed on if the server chooses HTTP/2. Without it, the bytes that the socket reads go to `onRead` only.
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

  /** The reason why nothing may be sent on a connected socket, or null if sending is allowed. */
  connectedError({ origin }: DialTarget, socket: Socket): Error | null {
    return this.#guard.connectedError(origin, socket);
  }

  /** Called when the connection could not be made. */
  failed(target: DialTarget): void {
    this.#guard.failed(target.hostname);
  }

  #dialTls({ origin, hostname }: DialTarget, address: object, offerH2: boolean): TLSSocket {
    const session = this.#sessions.get(origin);
    const socket = connectTls({
      ...address,
      ALPNProtocols: offerH2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      rejectUnauthorized: this.#options.rejectUnauthorized,
      // RFC 6066 §3: an IP address is not a valid server name.
      ...(isIP(hostname) === 0 ? { servername: hostname } : {}),
      ...(session === undefined ? {} : { session }),
    });
    socket.on('session', (fresh) => putNewest(this.#sessions, origin, fresh, MAX_TLS_SESSIONS));
    return socket;
  }
}
