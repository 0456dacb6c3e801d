/**
 * Watches one connection: statements without an answer, and whether bytes still move. A connection
 * that breaks silently (a pulled cable, a router that forgets it) gives no error, so only a question
 * to the server tells it from a slow server (silent-connections.ts).
 */
import type { Socket } from 'node:net';

/** A statement of the client. It has a state once it is sent, but not while it waits for the connection to be free. */
interface Sent {
  readonly state?: { readonly pid: number | null } | null;
}

const TRANSACTION_PHASES = ['beginning', 'open', 'ending'] as const;
export type TransactionPhase = (typeof TRANSACTION_PHASES)[number];

/** A transaction on the connection, or one that waits for its turn there. */
export interface WatchedTransaction {
  phase: TransactionPhase;
  /** How long the connection may be quiet; absent means the default. */
  readonly quietMs?: number | undefined;
}

/** The message ReadyForQuery: the server waits for a first statement. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
/** The beginning of the message BackendKeyData, before the process id. */
const PROCESS = Buffer.from([0x4b, 0, 0, 0, 12]);

export class ConnectionMonitor {
  readonly #connect: () => Promise<Socket>;
  readonly #sent = new Set<Sent>();
  readonly #transactions = new Set<WatchedTransaction>();
  #socket: Socket | null = null;
  #isReady = false;
  #moved = 0;
  #movedAtMs = 0;
  #pid: number | null = null;

  constructor(connect: () => Promise<Socket>) {
    this.#connect = connect;
  }

  /** The socket factory for the client, which calls it whenever it connects. */
  readonly socket = async (): Promise<Socket> => {
    const socket = await this.#connect();
    this.#socket = socket;
    this.#isReady = false;
    this.#pid = null;
    const listen = (bytes: Buffer): void => {
      this.#pid ??= readPid(bytes);
      if (!bytes.includes(READY)) return;
      this.#isReady = true;
      socket.off('data', listen);
    };
    // Until the connection is ready, the connect timeout applies.
    socket.on('data', listen);
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = null;
    });
    return socket;
  };

  async until<T extends object>(sent: PromiseLike<T>): Promise<T> {
    this.#sent.add(sent as Sent);
    try {
      return await sent;
    } finally {
      this.#sent.delete(sent as Sent);
    }
  }

  begin(quietMs: number | undefined): WatchedTransaction {
    const transaction: WatchedTransaction = { phase: 'beginning', quietMs };
    this.#transactions.add(transaction);
    return transaction;
  }

  end(transaction: WatchedTransaction): void {
    this.#transactions.delete(transaction);
  }

  /**
   * Whether an answer is due. No answer is due while an open transaction works
   * between two statements, although others wait for it.
   */
  get isWaiting(): boolean {
    if (this.#socket === null || !this.#isReady) return false;
    for (const { state } of this.#sent) if (state) return true;
    const phases = [...this.#transactions].map(({ phase }) => phase);
    return phases.includes('ending') || (phases.includes('beginning') && !phases.includes('open'));
  }

  /** Whether nothing uses the connection. */
  get isIdle(): boolean {
    return this.#sent.size === 0 && this.#transactions.size === 0;
  }

  /** The shortest quiet time that a transaction asks for. */
  get quietMs(): number {
    return Math.min(...[...this.#transactions].map(({ quietMs }) => quietMs ?? Number.POSITIVE_INFINITY));
  }

  /**
   * The id of the server process, from the greeting. Null if the greeting came in pieces and no statement was sent yet.
   */
  get pid(): number | null {
    for (const { state } of this.#sent) if (state) return state.pid;
    return this.#pid;
  }

  /**
   * How long an answer has been due without a byte moving. Must be
   * called often, because it compares with the last call.
   */
  quietForMs(nowMs: number): number {
    const socket = this.#socket;
    const moved = socket === null ? 0 : socket.bytesRead + socket.bytesWritten - socket.writableLength;
    if (moved !== this.#moved || !this.isWaiting) this.#movedAtMs = nowMs;
    this.#moved = moved;
    return nowMs - this.#movedAtMs;
  }

  /** Everything on the connection fails, as if the server had closed it; the client opens another one. */
  destroy(why?: Error): void {
    this.#socket?.destroy(why);
  }
}

function readPid(bytes: Buffer): number | null {
  const at = bytes.indexOf(PROCESS);
  return at < 0 || bytes.length < at + 9 ? null : bytes.readInt32BE(at + 5);
}
