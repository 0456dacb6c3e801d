/**
 * One connection as its user sees it: what was sent and is not answered, and whether bytes still move. A connection that falls silent
 * (a cable pulled, a router that forgets) says nothing of it: it is only told from a slow server by asking (silence.ts).
 */
import type { Socket } from 'node:net';

/** A statement of the client: it has a state from when it is sent, not while it waits for the connection to be free. */
interface Sent {
  readonly state?: { readonly pid: number | null } | null;
}

export const TRANSACTION_PHASES = ['beginning', 'open', 'ending'] as const;
export type TransactionPhase = (typeof TRANSACTION_PHASES)[number];

/** A transaction on the connection, or one that waits for its turn there. */
export interface WatchedTransaction {
  phase: TransactionPhase;
  /** For how long it may be quiet; absent: as any other. */
  readonly quietMs?: number | undefined;
}

/** What a server says when it waits for a first statement. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);
/** Before the number of its process. */
const PROCESS = Buffer.from([0x4b, 0, 0, 0, 12]);

export class ConnectionWatch {
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

  /** For the client, which asks for one whenever it connects. */
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
    // Until it is ready the time to connect is the limit.
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

  /** Whether an answer is due. A transaction that thinks, between two statements, keeps others waiting, and no answer is. */
  get isWaiting(): boolean {
    if (this.#socket === null || !this.#isReady) return false;
    for (const { state } of this.#sent) if (state) return true;
    const phases = [...this.#transactions].map(({ phase }) => phase);
    return phases.includes('ending') || (phases.includes('beginning') && !phases.includes('open'));
  }

  /** Whether nobody has anything on it. */
  get isIdle(): boolean {
    return this.#sent.size === 0 && this.#transactions.size === 0;
  }

  /** The shortest that somebody asks for. */
  get quietMs(): number {
    return Math.min(...[...this.#transactions].map(({ quietMs }) => quietMs ?? Number.POSITIVE_INFINITY));
  }

  /** The number of its process on the server, as that greeted us. Null where the greeting came in pieces and nothing was sent yet. */
  get pid(): number | null {
    for (const { state } of this.#sent) if (state) return state.pid;
    return this.#pid;
  }

  /** For how long an answer has been due and not a byte has come or gone. To be asked often: it compares with the last time. */
  quietForMs(nowMs: number): number {
    const socket = this.#socket;
    const moved = socket === null ? 0 : socket.bytesRead + socket.bytesWritten - socket.writableLength;
    if (moved !== this.#moved || !this.isWaiting) this.#movedAtMs = nowMs;
    this.#moved = moved;
    return nowMs - this.#movedAtMs;
  }

  /** All that is on it fails, as when the server had closed it; the client opens another. */
  destroy(why?: Error): void {
    this.#socket?.destroy(why);
  }
}

function readPid(bytes: Buffer): number | null {
  const at = bytes.indexOf(PROCESS);
  return at < 0 || bytes.length < at + 9 ? null : bytes.readInt32BE(at + 5);
}
