/**
 * Our own PostgreSQL server for tests and benchmarks: a temporary folder, a free port on loopback, random passwords.
 *
 * In: options. Out: URLs of its databases. The server can be stopped, killed and started again with the same data
 * and the same port. What always holds: after `close`, or after the end of our process for any reason, no process
 * and no file is left.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useOfTree } from '../measure/process-tree.ts';
import { FolderGuard } from './folder-guard.ts';
import { PostgresDatabases, type UrlOptions } from './postgres-databases.ts';
import { findPostgres, OLDEST_POSTGRES, type PostgresProgram } from './postgres-program.ts';
import { type ServerAccount, serverAccount } from './server-account.ts';
import { parentFolder, unusedPort } from './server-place.ts';
import { PortTakenError, ServerProcess } from './server-process.ts';

const MAX_CONNECTIONS = 200;
const MAX_PORT_TRIES = 20;
/** The write-ahead log uses memory, too, so it is kept small. */
const MEMORY_SETTINGS = { fsync: 'off', max_wal_size: '128MB', min_wal_size: '32MB' };
/** The path of a socket must fit into 108 bytes, including its final zero. */
const MAX_SOCKET_FOLDER_BYTES = 85;

export interface PostgresServerOptions {
  readonly program?: PostgresProgram;
  /**
   * Default: true. False: nothing is synced to the disk, or there is no disk at all. Only a power
   * failure shows the difference.
   */
  readonly durable?: boolean;
  /**
   * Default: false, text is sorted by its bytes. True: text is sorted as in English dictionaries, the
   * setup of most servers.
   */
  readonly sortsByLanguage?: boolean;
  /** Further PostgreSQL settings by name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: false. True: the write-ahead log is beside the data folder, not inside it. */
  readonly walApart?: boolean;
  /** Called with the empty data folder. */
  readonly prepareData?: (dataFolder: string, account: ServerAccount | undefined) => void;
}

export class PostgresServer {
  readonly databases: PostgresDatabases;
  /** Holds the data, the log and the socket. */
  readonly folder: string;
  readonly #program: PostgresProgram;
  readonly #options: PostgresServerOptions;
  readonly #account = serverAccount();
  readonly #guard: FolderGuard;
  #process: ServerProcess | undefined;
  #wasKilled = false;

  private constructor(program: PostgresProgram, options: PostgresServerOptions, databases: PostgresDatabases) {
    this.#program = program;
    this.#options = options;
    this.databases = databases;
    this.folder = realpathSync(mkdtempSync(join(parentFolder(options.durable ?? true), 'orbweaver-postgres-')));
    this.#guard = new FolderGuard(this.folder);
    mkdirSync(this.dataFolder, { mode: 0o700 });
    for (const folder of [this.folder, this.dataFolder]) this.#giveAway(folder);
  }

  /** Creates and starts a server. Throws when PostgreSQL is not installed. */
  static async create(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const program = options.program ?? (await findPostgres());
    if (program === undefined) throw new Error(`PostgreSQL ${OLDEST_POSTGRES} or newer is not installed`);
    for (let tries = 1; ; tries++) {
      const server = new PostgresServer(program, options, await unusedAddress(options.durable ?? true));
      try {
        await server.#initialise();
        await server.start();
        await server.databases.createOwner();
        return server;
      } catch (error) {
        await server.close();
        if (!(error instanceof PortTakenError) || tries === MAX_PORT_TRIES) throw error;
      }
    }
  }

  get dataFolder(): string {
    return join(this.folder, 'data');
  }

  get logPath(): string {
    return join(this.folder, 'server.log');
  }

  get port(): number {
    return this.databases.address.port;
  }

  /** 0 while the server is not running. */
  get serverPid(): number {
    return this.#process?.isRunning ? this.#process.pid : 0;
  }

  get guardPid(): number {
    return this.#guard.pid;
  }

  url(database?: string, options?: UrlOptions): string {
    return this.databases.url(database, options);
  }

  adminUrl(database?: string): string {
    return this.databases.adminUrl(database);
  }

  createDatabase(name: string, template?: string): Promise<void> {
    return this.databases.create(name, template);
  }

  dropDatabase(name: string): Promise<void> {
    return this.databases.drop(name);
  }

  walBytes(): Promise<number> {
    return this.databases.walBytes();
  }

  /** CPU time of the server and all its sessions, including ended ones, since its last start. */
  cpuMs(): number {
    const pid = this.serverPid;
    return pid === 0 ? 0 : useOfTree(pid).cpuSeconds * 1_000;
  }

  async start(): Promise<void> {
    if (this.serverPid !== 0) return;
    this.#process = await ServerProcess.start({
      command: join(this.#program.folder, 'postgres'),
      dataFolder: this.dataFolder,
      logPath: this.logPath,
      account: this.#account,
      settings: {
        listen_addresses: '127.0.0.1',
        port: String(this.port),
        unix_socket_directories: Buffer.byteLength(this.folder) > MAX_SOCKET_FOLDER_BYTES ? '' : this.folder,
        max_connections: String(MAX_CONNECTIONS),
        ...(this.databases.address.isDurable ? {} : MEMORY_SETTINGS),
        ...this.#options.settings,
      },
    });
    this.#wasKilled = false;
  }

  /** Data and port are kept for the next start. */
  async stop(): Promise<void> {
    await this.databases.close();
    await this.#process?.stop();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Sends `kill -9` to the server and all its sessions. */
  async kill(): Promise<void> {
    if (this.serverPid !== 0) {
      await this.#process!.kill();
      this.#wasKilled = true;
    }
    await this.databases.close();
  }

  async close(): Promise<void> {
    // A killed server leaves shared memory behind, and only the next start can find and remove it.
    if (this.#wasKilled) await this.start().catch(() => {});
    await this.stop();
    await this.#guard.end();
  }

  /** Starts a second server that replicates this one and is read-only. It has the same roles and passwords. */
  async standby(): Promise<PostgresServer> {
    const { port: _, ...secrets } = this.databases.address;
    const address = { ...secrets, port: await unusedPort() };
    const { prepareData: __, ...options } = this.#options;
    const server = new PostgresServer(this.#program, options, new PostgresDatabases(address));
    try {
      const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', PostgresDatabases.adminName];
      const words = ['-D', server.dataFolder, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
      await server.#run('pg_basebackup', [...from, ...words], { PGPASSWORD: address.adminPassword });
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  async #initialise(): Promise<void> {
    this.#options.prepareData?.(this.dataFolder, this.#account);
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, this.databases.address.adminPassword, { mode: 0o600 });
    this.#giveAway(passwordFile);
    const sorting = this.#options.sortsByLanguage ? ['--locale-provider=icu', '--icu-locale=en'] : [];
    const access = ['-U', PostgresDatabases.adminName, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const wal = this.#options.walApart ? [`--waldir=${join(this.folder, 'wal')}`] : [];
    const words = ['-D', this.dataFolder, '--encoding=UTF8', '--locale=C', '--no-sync'];
    await this.#run('initdb', [...words, ...sorting, ...access, ...wal]);
    rmSync(passwordFile);
  }

  /** Runs in our folder, where the folder guard finds the process. */
  async #run(
    name: string,
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    await promisify(execFile)(join(this.#program.folder, name), [...words], {
      ...this.#account,
      cwd: this.folder,
      env: { LC_ALL: 'C', PATH: process.env.PATH, ...environment },
    });
  }

  #giveAway(path: string): void {
    if (this.#account !== undefined) chownSync(path, this.#account.uid, this.#account.gid);
  }
}

async function unusedAddress(isDurable: boolean): Promise<PostgresDatabases> {
  const [adminPassword, password] = [randomBytes(18).toString('base64url'), randomBytes(18).toString('base64url')];
  return new PostgresDatabases({ port: await unusedPort(), adminPassword, password, isDurable });
}
