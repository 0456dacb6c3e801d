/**
 * nginx, for what has to be served by a real web server: found, or installed from the system's packages where root asks.
 *
 * In comes nothing but the machine; out goes the command, or why there is none. Nothing that is installed is ever changed.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { installPackage } from '../programs/system-packages.ts';

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
      // Not this one.
    }
  }
  return undefined;
}

/** Undefined when it is installed; else why it is not, and what to do. */
export function installNginx(report: (text: string) => void): Promise<string | undefined> {
  return installPackage('nginx', 'nginx-light', report);
}
