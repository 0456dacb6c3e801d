/**
 * Serves the local web for one run of one crawler.
 *
 * In: a web and the path of the log. Out: a server that answers and must be stopped after the run. What always holds:
 * the server is a separate process (its work is never counted as the crawler's), it listens on loopback only, and the
 * log is complete when `stop` returns. The check of the fetched pages is simple because every run has a new server
 * and a new log.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findNginx, installNginx } from '../../testbed/servers/nginx-program.ts';
import type { LocalWeb } from './make.ts';
import { nginxConfig, type ServerManners } from './nginx-config.ts';

export { findNginx } from '../../testbed/servers/nginx-program.ts';

const START_TIMEOUT_MS = 10_000;
const POLL_MS = 10;
/** Above the ports of webs, and still below the ports that systems assign automatically. */
const BEHIND_RELAY = 1_000;

export interface ServerProgram {
  readonly kind: 'nginx' | 'node';
  readonly command: string;
  readonly version: string;
}

export interface RunningServer {
  readonly pid: number;
  stop(): Promise<void>;
}

const DEFAULT_MANNERS: ServerManners = { validators: true, reportPort: null, answerAfterMs: 0 };

/** Returns nginx, installed if root may do so, or else our own small server, which the results then name. */
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
  manners: Partial<ServerManners> = {},
): Promise<RunningServer> {
  const wanted = { ...DEFAULT_MANNERS, ...manners };
  await mkdir(prefixFolder, { recursive: true });
  await rm(logPath, { force: true });
  const isLate = wanted.answerAfterMs > 0;
  // The relay uses the port of the web, so the server itself uses another port.
  const port = web.plan.port + (isLate ? BEHIND_RELAY : 0);
  const child =
    program.kind === 'nginx'
      ? await startNginx(program, web, port, prefixFolder, logPath, wanted)
      : startNode(web, port, logPath, wanted);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const relay = isLate ? startRelay(web, port, wanted.answerAfterMs) : undefined;
  const stopWithUs = () => {
    child.kill('SIGTERM');
    relay?.kill('SIGTERM');
  };
  process.once('exit', stopWithUs);
  try {
    for (const host of web.plan.hosts) {
      await waitUntilAnswering(child, host, port);
      if (relay !== undefined) await waitUntilAnswering(relay, host, web.plan.port);
    }
  } catch (error) {
    stopWithUs();
    throw error;
  }
  return {
    pid: child.pid!,
    async stop() {
      // SIGQUIT lets nginx finish open requests and write the rest of the log. Without it the log is incomplete.
      if (child.exitCode === null) child.kill('SIGQUIT');
      relay?.kill('SIGTERM');
      await exited;
      process.off('exit', stopWithUs);
    },
  };
}

async function startNginx(
  program: ServerProgram,
  web: LocalWeb,
  port: number,
  prefixFolder: string,
  logPath: string,
  manners: ServerManners,
): Promise<ChildProcess> {
  const configPath = join(prefixFolder, 'nginx.conf');
  await writeFile(configPath, nginxConfig(web, port, prefixFolder, logPath, manners));
  const errorLog = join(prefixFolder, 'error.log');
  return spawn(program.command, ['-p', prefixFolder, '-c', configPath, '-e', errorLog], { stdio: 'ignore' });
}

function startNode(
  web: LocalWeb,
  port: number,
  logPath: string,
  { validators, reportPort }: ServerManners,
): ChildProcess {
  if (reportPort !== null) throw new Error('a site with a watcher needs nginx: apt-get install nginx-light');
  const script = join(import.meta.dirname, 'node-server.ts');
  const hosts = web.plan.hosts.join(',');
  const args = [web.folder, hosts, String(port), logPath, validators ? 'validators' : 'plain'];
  return spawn(process.execPath, [script, ...args], { stdio: 'ignore' });
}

function startRelay({ plan }: LocalWeb, port: number, answerAfterMs: number): ChildProcess {
  const script = join(import.meta.dirname, 'late-relay.ts');
  const args = [plan.hosts.join(','), String(plan.port), String(port), String(answerAfterMs)];
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
