/**
 * nginx with the exact lines that docs/watcher.md shows. In: which lines. Out: a running
 * server. Only port, folders and files differ.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findNginx } from '../../testbed/servers/nginx-program.ts';
import { ask } from '../../testbed/watcher/running-watcher.ts';

export const HOST = 'www.example.org';
export const SITE = `http://${HOST}`;

export const nginx = await findNginx();

/** The code block of a language below a heading of the document. */
export function shownIn(heading: string, language: string): string {
  const text = readFileSync(new URL('../../docs/watcher.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf(`### ${heading}\n`));
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1];
  if (!section.startsWith('###') || block === undefined) throw new Error(`no ${language} below "${heading}"`);
  return block;
}

export interface NginxSite {
  readonly port: number;
  stop(): Promise<void>;
}

export async function serveAsShown(
  folder: string,
  heading: string,
  places: Readonly<Record<string, string>>,
): Promise<NginxSite> {
  const port = await freePort();
  let server = shownIn(heading, 'nginx');
  for (const [shown, here] of Object.entries({ 'listen 80;': `listen 127.0.0.1:${port};`, ...places })) {
    if (!server.includes(shown)) throw new Error(`the configuration has no "${shown}"`);
    server = server.replaceAll(shown, here);
  }
  const prefix = join(folder, 'nginx');
  await mkdir(prefix, { recursive: true });
  const user = process.getuid?.() === 0 ? `user ${userInfo().username};\n` : '';
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = kinds.map((kind) => `${kind}_temp_path ${join(prefix, kind)};`).join('\n');
  const config = `${user}daemon off;\npid ${join(prefix, 'pid')};\nevents {}\nhttp {\n${temporary}\naccess_log off;\ntypes { text/html html; }\n${server}}\n`;
  await writeFile(join(prefix, 'nginx.conf'), config);
  const words = ['-p', prefix, '-c', join(prefix, 'nginx.conf'), '-e', join(prefix, 'error.log')];
  const child = spawn(nginx!.command, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  await untilAnswering(child, port, prefix);
  return {
    port,
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGQUIT');
      await ended;
    },
  };
}

async function untilAnswering(child: ChildProcess, port: number, prefix: string): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (child.exitCode !== null) throw new Error(`nginx left: ${readFileSync(join(prefix, 'error.log'), 'utf8')}`);
    if (await ask(port, HOST, '/nothing').catch(() => null)) return;
    await sleep(20);
  }
  child.kill('SIGKILL');
  throw new Error('nginx does not answer');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
