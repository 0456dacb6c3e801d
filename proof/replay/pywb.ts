/**
 * pywb, the replay tool of many web archives. In: WACZ files. Out: a server that replays each of them as a collection.
 * pywb is installed from PyPI into a folder of its own, once.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const START_MS = 60_000;
/** pywb uses a module of setuptools that version 82 no longer has. */
const PACKAGES = ['pywb', 'wacz', 'setuptools<82'];

export async function installPywb(folder: string, report: (line: string) => void): Promise<string> {
  const programs = join(folder, 'bin');
  if (!existsSync(join(programs, 'wayback'))) {
    report(`installing ${PACKAGES.join(', ')} from PyPI`);
    await run('python3', ['-m', 'venv', folder]);
    await run(join(programs, 'pip'), ['install', '-q', ...PACKAGES], { timeout: 600_000 });
  }
  return programs;
}

/** What `wacz validate` says about a file. */
export async function validateWacz(programs: string, file: string): Promise<string> {
  const { stdout } = await run(join(programs, 'wacz'), ['validate', '-f', file]).catch((error) => error);
  return String(stdout).trim().split('\n').at(-1) ?? '';
}

export class Pywb {
  readonly origin: string;
  readonly #process: ChildProcess;

  private constructor(origin: string, child: ChildProcess) {
    this.origin = origin;
    this.#process = child;
  }

  /** `files`: a WACZ file for each collection. */
  static async start(programs: string, folder: string, files: ReadonlyMap<string, string>): Promise<Pywb> {
    await mkdir(folder, { recursive: true });
    // Without frames, a page of the archive is the page of the tab.
    await writeFile(join(folder, 'config.yaml'), 'framed_replay: false\n');
    for (const [name, file] of files) {
      await run(join(programs, 'wb-manager'), ['init', name], { cwd: folder });
      await run(join(programs, 'wb-manager'), ['add', '--unpack-wacz', name, file], { cwd: folder });
    }
    const port = await freePort();
    const log = openSync(join(folder, 'wayback.log'), 'w');
    const words = ['-b', '127.0.0.1', '-p', String(port)];
    const child = spawn(join(programs, 'wayback'), words, { cwd: folder, stdio: ['ignore', log, log] });
    const origin = `http://127.0.0.1:${port}`;
    for (const endMs = Date.now() + START_MS; ; await sleep(100)) {
      if (
        await fetch(origin).then(
          () => true,
          () => false,
        )
      )
        return new Pywb(origin, child);
      if (child.exitCode !== null || Date.now() > endMs)
        throw new Error(`pywb did not start; see ${folder}/wayback.log`);
    }
  }

  /** The archived URL of a request to a collection; null for a file of pywb itself. */
  archivedUrl(request: string): string | null {
    if (!request.startsWith(`${this.origin}/`)) return null;
    const found = /^\/[a-z]+\/(?:\d{0,14}(?:[a-z]{2,3}_)?\/)?(https?:\/.+)$/.exec(request.slice(this.origin.length));
    return found === null ? null : found[1]!.replace(/^(https?:)\/+/, '$1//');
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
