/**
 * Opens a socket to a server. In: servers, in the order in which they are tried, and the required role. Out: a socket
 * to the first server that can be reached and has the role, encrypted as required.
 *
 * What always holds: the last good server is tried first. A server that does not answer costs at most
 * `timeoutMs`. Nothing is sent in clear text where TLS is required. The client has its own code for this,
 * but it takes one silent server for all, waits for ever if no server suits, and cannot check the
 * certificate of a server that is named by its IP address.
 */
import { connect, isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import postgres from 'postgres';
import { type Server, serverText, socketPath } from './servers.ts';
import { type ServerRole, type SessionKind, suits } from './session-kind.ts';
import type { TlsRules } from './tls-rules.ts';

export interface DialRules {
  readonly tls: TlsRules;
  readonly timeoutMs: number;
  readonly session: SessionKind;
}

export interface Login {
  readonly user: string;
  readonly database: string;
  readonly password: (() => string) | undefined;
}

/** Why a server was refused, with a code in the style of the system's and the client's codes. */
class DialError extends Error {
  readonly code: 'ENOTLS' | 'EBADCERT' | 'EWRONGROLE' | 'ENOTPG';

  constructor(code: DialError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const SAYS_YES = 'S'.charCodeAt(0);
const SAYS_NO = 'N'.charCodeAt(0);
const SAYS_ERROR = 'E'.charCodeAt(0);

export class Dialer {
  readonly #servers: readonly Server[];
  readonly #rules: DialRules;
  readonly #login: Login;
  /** The position of the last good server. */
  #first = 0;

  constructor(servers: readonly Server[], rules: DialRules, login: Login) {
    this.#servers = servers;
    this.#rules = rules;
    this.#login = login;
  }

  async dial(): Promise<Socket> {
    const { session } = this.#rules;
    const found = await this.#tryAll(session);
    if (found instanceof Socket) return found;
    if (session !== 'prefer-standby') throw found;
    const other = await this.#tryAll('any');
    if (other instanceof Socket) return other;
    throw other;
  }

  async #tryAll(session: SessionKind): Promise<Socket | Error> {
    let trouble: Error | null = null;
    const servers = this.#servers;
    for (let turn = 0, at = this.#first; turn < servers.length; turn++, at = (at + 1) % servers.length) {
      try {
        const server = servers[at]!;
        if (session !== 'any') await this.#checkRole(server, session);
        const socket = await openWay(server, this.#rules);
        this.#first = at;
        return socket;
      } catch (error) {
        // A server that answered but does not suit says more than a server that cannot be reached.
        if (trouble === null || error instanceof DialError) trouble = error as Error;
      }
    }
    return trouble!;
  }

  /** Asks the server over a separate connection, because only a logged-in session can read its role. */
  async #checkRole(server: Server, session: SessionKind): Promise<void> {
    const { user, database, password } = this.#login;
    const way = await openWay(server, this.#rules);
    const sql = postgres({
      user,
      database,
      ...(password && { password }),
      host: [server.host],
      port: [server.port],
      ssl: false,
      max: 1,
      fetch_types: false,
      prepare: false,
      connect_timeout: this.#rules.timeoutMs / 1_000,
      onnotice: () => {},
      socket: () => way,
    } as unknown as postgres.Options<Record<string, postgres.PostgresType>>);
    const timer = setTimeout(() => way.destroy(timedOut(server)), this.#rules.timeoutMs);
    try {
      const [row] = await sql.unsafe(
        `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
      );
      if (suits(session, row as unknown as ServerRole)) return;
    } finally {
      clearTimeout(timer);
      await sql.end({ timeout: 1 });
    }
    throw new DialError('EWRONGROLE', `${serverText(server)} is not what target_session_attrs=${session} asks for`);
  }
}

/**
 * The socket factory for the client, which calls it whenever it connects. If the factory throws, the client never calls
 * it again, so an error is passed on as the error of a socket. If a connection ends before it is ready, the client
 * calls again at once, for ever; so the next call after such an end fails with an error.
 */
export function clientSocket(dialer: Pick<Dialer, 'dial'>): () => Promise<Socket> {
  let early = 0;
  const dial = async (): Promise<Socket> => {
    if (early === 0) return dialer.dial();
    early--;
    throw Object.assign(new Error('the connection was closed before it was ready'), { code: 'CONNECTION_CLOSED' });
  };
  return () =>
    dial().then(
      (socket) =>
        closingLate(socket, (wasReady) => {
          if (!wasReady) early++;
        }),
      (error: Error) => {
        const failed = closingLate(ready(new Socket()), () => {});
        setImmediate(() => failed.destroy(error));
        return failed;
      },
    );
}

async function openWay(server: Server, { tls, timeoutMs }: DialRules): Promise<Socket> {
  const path = socketPath(server);
  const socket = path === null ? connect(server.port, server.host) : connect(path);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(timedOut(server)), timeoutMs);
  const failed = new Promise<never>((_, fail) => socket.once('error', fail));
  failed.catch(() => {});
  late.catch(() => {});
  try {
    await Promise.race([new Promise((resolve) => socket.once('connect', resolve)), failed, late]);
    // A Unix socket does not leave the machine.
    if (path !== null || tls.mode === 'disable') return ready(socket);
    return await Promise.race([encrypt(socket, server, tls), failed, late]);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function encrypt(socket: Socket, server: Server, tls: TlsRules): Promise<Socket> {
  socket.write(SSL_REQUEST);
  const answer = await new Promise<Buffer>((resolve, reject) => {
    socket.once('data', resolve);
    socket.once('close', () => reject(closedEarly(server)));
  });
  // A server that is stopping, or has too many connections, sends an error message instead. That is temporary.
  if (answer[0] === SAYS_ERROR) throw closedEarly(server);
  if (answer[0] !== SAYS_YES && answer[0] !== SAYS_NO) {
    throw new DialError('ENOTPG', `what answers at ${serverText(server)} is no PostgreSQL`);
  }
  if (answer[0] !== SAYS_YES) {
    if (tls.mode === 'prefer' || tls.mode === 'allow') return ready(socket);
    throw new DialError('ENOTLS', `${serverText(server)} does not speak TLS, which sslmode=${tls.mode} asks for`);
  }
  // Bytes after the answer came in clear text, and may come from an attacker.
  if (answer.length > 1)
    throw new DialError('ENOTLS', `${serverText(server)} sent more than an answer before TLS began`);
  const secure = connectTls({
    socket,
    ...(isIP(server.host) === 0 && { servername: server.host }),
    ...tls.connectionOptions(server.host),
  });
  await new Promise<void>((resolve, reject) => {
    secure.once('secureConnect', resolve);
    secure.once('error', (error) => reject(asTlsError(error, server)));
    secure.once('close', () => reject(closedEarly(server)));
  });
  secure.removeAllListeners('close');
  return ready(secure);
}

function ready(socket: Socket): Socket {
  socket.removeAllListeners('error');
  // Until the client adds its listener, an error must not be unhandled.
  socket.on('error', () => {});
  return socket;
}

/** The message ReadyForQuery: the server waits for a first statement. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/**
 * The client gathers its writes until the end of the event loop turn. If a connection closes before that, the client
 * would never write again, also not after a reconnect. So the `close` event is emitted one turn later.
 */
function closingLate(socket: Socket, onClose: (wasReady: boolean) => void): Socket {
  let wasReady = false;
  const emit = socket.emit.bind(socket);
  socket.emit = (event: string, ...values: unknown[]): boolean => {
    if (event === 'data' && !wasReady) wasReady = (values[0] as Buffer).includes(READY);
    if (event !== 'close') return emit(event, ...values);
    onClose(wasReady);
    setImmediate(() => emit(event, ...values));
    return true;
  };
  return socket;
}

function asTlsError(error: NodeJS.ErrnoException, server: Server): Error {
  const isOurs = error.code === undefined || /CERT|ALTNAME|SELF_SIGNED|VERIFY|ISSUER|SSL/.test(error.code);
  return isOurs ? new DialError('EBADCERT', `${serverText(server)}: ${error.message.split('\n', 1)[0]}`) : error;
}

function timedOut(server: Server): Error {
  return Object.assign(new Error(`${serverText(server)} does not answer`), { code: 'CONNECT_TIMEOUT' });
}

function closedEarly(server: Server): Error {
  return Object.assign(new Error(`${serverText(server)} closed the connection`), { code: 'CONNECTION_CLOSED' });
}
