/**
 * nginx, for what has to be served by a real web server: found, or installed from the system's packages where root asks.
 *
 * In comes nothing but the machine; out goes the command, or why there is none. Nothing that is installed is ever changed.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const NGINX_PATHS = ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx'];
const INSTALL_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 16 * 1024 ** 2;

export interface NginxProgram {
  readonly kind: 'nginx';
  readonly command: string;
  readonly version: string;
}

export async function findNginx(paths: readonly string[] = NGINX_PATHS): Promise<NginxProgram | undefined> {
  for (const command of paths) {
    try {
      const { stderr } = await execFileAsync(command, ['-v']);
      return { kind: 'nginx', command, version: stderr.trim().replace('nginx version: ', '') };
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** Undefined when it is installed; else why it is not, and what to do. */
export async function installNginx(report: (text: string) => void): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'nginx is not installed, and only root can: apt-get install nginx-light';
  const update = ['update', '-q'];
  const install = ['install', '-y', '-q', '--no-install-recommends', 'nginx-light'];
  // The lists of a fresh machine are empty, and those of an old one name packages that are gone. Without a network they may still do.
  report(`apt-get ${update.join(' ')}`);
  const outdated = await runApt(update);
  report(`apt-get ${install.join(' ')}`);
  const failure = await runApt(install);
  return failure && `nginx could not be installed (apt-get ${install.join(' ')}): ${outdated ?? failure}`;
}

async function runApt(words: readonly string[]): Promise<string | undefined> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await execFileAsync('apt-get', [...words], { timeout: INSTALL_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, env });
    return undefined;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') return 'this system has no apt-get';
    return stderr.trim().split('\n').at(-1) || `exit code ${String(code)}`;
  }
}
