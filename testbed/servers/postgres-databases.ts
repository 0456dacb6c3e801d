/**
 * The databases of our own server, seen by a client. In: the address of the server and the passwords. Out: URLs.
 *
 * What always holds: databases belong to an ordinary role without further privileges, as on a carefully managed server.
 * So code that needs more privileges fails here, too.
 */
import postgres from 'postgres';

const ADMIN = 'orbweaver_admin';
const OWNER = 'orbweaver';
const DATABASE_NAME = /^[a-z][a-z0-9_]{0,62}$/;

export interface PostgresAddress {
  readonly port: number;
  readonly adminPassword: string;
  readonly password: string;
  /** False: nothing is synced, so copying files is very fast. */
  readonly isDurable: boolean;
}

export interface UrlOptions {
  readonly withPassword?: boolean;
}

export class PostgresDatabases {
  static readonly adminName = ADMIN;
  readonly address: PostgresAddress;
  #admin: postgres.Sql | undefined;

  constructor(address: PostgresAddress) {
    this.address = address;
  }

  url(database = 'postgres', { withPassword = true }: UrlOptions = {}): string {
    const { port, password } = this.address;
    return `postgres://${OWNER}${withPassword ? `:${password}` : ''}@127.0.0.1:${port}/${database}`;
  }

  /** The URL for the role that may do everything. */
  adminUrl(database = 'postgres'): string {
    const { port, adminPassword } = this.address;
    return `postgres://${ADMIN}:${adminPassword}@127.0.0.1:${port}/${database}`;
  }

  async createOwner(): Promise<void> {
    await this.#sql.unsafe(`create role ${OWNER} login password '${this.address.password}'`);
  }

  async create(name: string, template = 'template0'): Promise<void> {
    // Copying files needs two checkpoints, which are cheap only when nothing is synced. It then takes half the time.
    const strategy = this.address.isDurable ? 'wal_log' : 'file_copy';
    await this.#sql.unsafe(
      `create database ${quoted(name)} owner ${OWNER} template ${quoted(template)} strategy ${strategy}`,
    );
  }

  /** Closes all open connections to the database first. */
  async drop(name: string): Promise<void> {
    await this.#sql.unsafe(`drop database if exists ${quoted(name)} with (force)`);
  }

  /** Bytes written to the write-ahead log since the server was created. */
  async walBytes(): Promise<number> {
    const rows = await this.#sql.unsafe(`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`);
    return rows[0]!.bytes as number;
  }

  async close(): Promise<void> {
    const admin = this.#admin;
    this.#admin = undefined;
    await admin?.end({ timeout: 1 });
  }

  get #sql(): postgres.Sql {
    this.#admin ??= postgres(this.adminUrl(), { max: 1, fetch_types: false, onnotice: () => {} });
    return this.#admin;
  }
}

/** The name is quoted because it may be an SQL keyword. */
function quoted(name: string): string {
  if (!DATABASE_NAME.test(name)) throw new Error(`not a name for a database: ${name}`);
  return `"${name}"`;
}
