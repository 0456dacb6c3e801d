/**
 * A PostgreSQL server of our own, for tests and benchmarks: a temporary folder, a free port on loopback, passwords of chance.
 *
 * In comes what it should be like; out go URLs of its databases. It can be stopped, killed and started again on the same data
 * and the same port. What always holds: after `close`, or after our own end however it comes, neither process nor file is left.
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
/** Its log counts as memory, too. */
const MEMORY_SETTINGS = { fsync: 'off', max_wal_size: '128MB', min_wal_size: '32MB' };
/** A socket's path, with its final zero, has to fit into 108 bytes. */
const MAX_SOCKET_FOLDER_BYTES = 85;

export interface PostgresServerOptions {
  readonly program?: PostgresProgram;
  /** Default: true. False: nothing is synced to the disk, or there is no disk at all; only loss of power could tell. */
  readonly durable?: boolean;
  /** Default: false, text is sorted by its bytes. True: as English dictionaries do, as most servers are set up. */
  readonly sortsByLanguage?: boolean;
  /** More settings, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: false. True: the log of what is written is not in the data folder but beside it. */
  readonly walApart?: boolean;
  /** Called with the empty folder that the data goes to. */
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

  /** Made and started. Throws where PostgreSQL is not installed. */
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

  /** 0 while it is down. */
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

  /** Of the server and all its sessions, ended ones included, since its last start. */
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

  /** `kill -9`, of the server and of all its sessions. */
  async kill(): Promise<void> {
    if (this.serverPid !== 0) {
      await this.#process!.kill();
      this.#wasKilled = true;
    }
    await this.databases.close();
  }

  async close(): Promise<void> {
    // A killed server leaves shared memory behind, and nobody but the next start knows which.
    if (this.#wasKilled) await this.start().catch(() => {});
    await this.stop();
    await this.#guard.end();
  }

  /** A second server that follows this one and can only be read. It has the same roles and passwords. */
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

  /** In our folder, where its guard finds it. */
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
