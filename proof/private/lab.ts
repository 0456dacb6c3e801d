/**
 * Everything that a way needs inside the closed network: names, the web, a folder
 * for copies, and Orbweaver as a user runs it.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NameServer } from '../../testbed/web/closed-network/name-server.ts';
import { PRIVATE_TARGETS, type PrivateTarget } from '../../testbed/web/closed-network/private-targets.ts';
import { PUBLIC_ADDRESSES, type WideWeb } from '../../testbed/web/closed-network/wide-web.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** Delays and patience are zero because every host is this machine. */
const FLAGS = ['--scope', 'any', '--delay', '0s', '--patience', '0s', '--timeout', '30s', '--units', '2'];
const COMMAND_TIMEOUT_MS = 60_000;

export const [PUBLIC_V4, PUBLIC_V6] = PUBLIC_ADDRESSES;
/** A public address without a route. A client that fails here tries the next address of the name. */
export const DEAD_PUBLIC = '8.8.8.8';

export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Lab {
  readonly names: NameServer;
  readonly web: WideWeb;
  /** The database for the ways that need a cluster; null if PostgreSQL is not installed. */
  readonly database: { readonly store: string; readonly password: string } | null;
  readonly #folder: string;
  #copies = 0;

  constructor(names: NameServer, web: WideWeb, folder: string, database: Lab['database']) {
    this.names = names;
    this.web = web;
    this.#folder = folder;
    this.database = database;
  }

  /** The path of a data folder that does not exist yet. */
  newCopy(): string {
    this.#copies += 1;
    return join(this.#folder, `copy${this.#copies}`);
  }

  crawl(dir: string, words: readonly string[]): Promise<Ended> {
    return this.orbweaver('crawl', ...words, '--dir', dir, ...FLAGS);
  }

  async orbweaver(...words: readonly string[]): Promise<Ended> {
    const env = { PATH: process.env.PATH, ...(this.database && { PGPASSWORD: this.database.password }) };
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'], env });
    const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_TIMEOUT_MS);
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      stderr += piece;
    });
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
    clearTimeout(timer);
    return { exitCode, stdout, stderr };
  }
}

/** The address at which a connection to the target arrives. */
export function arrivalOf({ address }: PrivateTarget): string {
  // Linux connects a client of the unspecified address to the machine itself.
  if (address === '0.0.0.0') return '127.0.0.1';
  return canonicalAddress(address.replace(/^::ffff:/, ''));
}

export function canonicalAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]/`).hostname.slice(1, -1) : address;
}

/** Takes targets at equal distances in the list, so that a sample has all kinds. */
export function sampleOf(count: number): readonly PrivateTarget[] {
  const step = PRIVATE_TARGETS.length / count;
  return Array.from({ length: count }, (_, i) => PRIVATE_TARGETS[Math.floor(i * step)]!);
}
