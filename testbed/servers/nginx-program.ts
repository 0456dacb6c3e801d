/**
 * Finds nginx for benchmarks that need a real web server, or installs it from the system's packages when root asks.
 *
 * In: nothing. Out: the command, or the reason why there is none. An installed nginx is never changed.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from './system-packages.ts';

const execFileAsync = promisify(execFile);
const NGINX_PATHS = ['nginx', '/usr/sbin/nginx', '/usr/local/sbin/nginx'];

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
      // This candidate cannot be run.
    }
  }
  return undefined;
}

/** Returns undefined when nginx is installed, otherwise the reason and the next step for the user. */
export function installNginx(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('nginx', 'nginx-light', report);
}
