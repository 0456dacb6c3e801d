/**
 * Serves the local web for one run of one crawler.
 *
 * In comes a web and where to log; out goes a server that answers, to be stopped after the run. What always holds: it is a
 * process of its own (its work is never counted as the crawler's), it listens on loopback only, and once `stop` returns the
 * log is complete — a fresh server and a fresh log for every run is what makes the check of what was fetched so simple.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalWeb } from './make.ts';
import { nginxConfig } from './nginx-config.ts';
import { findNginx, installNginx } from './nginx-program.ts';

export { findNginx } from './nginx-program.ts';

const START_TIMEOUT_MS = 10_000;
const POLL_MS = 10;

export interface ServerProgram {
  readonly kind: 'nginx' | 'node';
  readonly command: string;
  readonly version: string;
}

export interface RunningServer {
  readonly pid: number;
  stop(): Promise<void>;
}

/** nginx, installed if root may; else the small server of our own, which the results then name. */
export async function findServerProgram(report: (text: string) => void): Promise<ServerProgram> {
  const found = await findNginx();
  if (found !== undefined) return found;
  const reason = await installNginx(report);
  if (reason !== undefined) report(reason);
  const installed = await findNginx();
  if (installed !== undefined) return installed;
  return { kind: 'node', command: process.execPath, version: `node:http ${process.version} (nginx is not installed)` };
}

export async function serveWeb(
  program: ServerProgram,
  web: LocalWeb,
  prefixFolder: string,
  logPath: string,
  /** Whether answers carry ETag and Last-Modified, and questions by them are answered with 304. */
  validators = true,
): Promise<RunningServer> {
  await mkdir(prefixFolder, { recursive: true });
  await rm(logPath, { force: true });
  const child =
    program.kind === 'nginx'
      ? await startNginx(program, web, prefixFolder, logPath, validators)
      : startNode(web, logPath, validators);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stopWithUs = () => child.kill('SIGTERM');
  process.once('exit', stopWithUs);
  try {
    for (const host of web.plan.hosts) await waitUntilAnswering(child, host, web.plan.port);
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  }
  return {
    pid: child.pid!,
    async stop() {
      // Finishes what is under way and writes the rest of the log; the log is not complete without.
      if (child.exitCode === null) child.kill('SIGQUIT');
      await exited;
      process.off('exit', stopWithUs);
    },
  };
}

async function startNginx(
  program: ServerProgram,
  web: LocalWeb,
  prefixFolder: string,
  logPath: string,
  validators: boolean,
): Promise<ChildProcess> {
  const configPath = join(prefixFolder, 'nginx.conf');
  await writeFile(configPath, nginxConfig(web, prefixFolder, logPath, validators));
  const errorLog = join(prefixFolder, 'error.log');
  return spawn(program.command, ['-p', prefixFolder, '-c', configPath, '-e', errorLog], { stdio: 'ignore' });
}

function startNode(web: LocalWeb, logPath: string, validators: boolean): ChildProcess {
  const script = join(import.meta.dirname, 'node-server.ts');
  const hosts = web.plan.hosts.join(',');
  const args = [web.folder, hosts, String(web.plan.port), logPath, validators ? 'validators' : 'plain'];
  return spawn(process.execPath, [script, ...args], { stdio: 'ignore' });
}

async function waitUntilAnswering(child: ChildProcess, host: string, port: number): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the web server left with exit code ${child.exitCode}`);
    const answers = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host, () => socket.end(() => resolve(true)));
      socket.once('error', () => resolve(false));
    });
    if (answers) return;
    await sleep(POLL_MS);
  }
  throw new Error(`the web server does not answer on ${host}:${port}`);
}
