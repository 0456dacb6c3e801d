/**
 * A network namespace in which every address of the Internet is this machine. In: a program. Out: its output. A
 * connection to any address, public or private, therefore arrives at a listener that counts it, and nothing leaves the
 * machine. The system's resolver asks the name server that the program starts at `NAME_SERVER`.
 *
 * If no namespace can be created, `whyNoNamespace` gives the reason.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const NAME_SERVER = '127.0.0.53';

/**
 * The system's own files are covered only inside the namespace, so that no host table and no
 * daemon answers in place of the name server.
 */
const FILES = {
  'resolv.conf': `nameserver ${NAME_SERVER}\noptions timeout:2 attempts:1\n`,
  'nsswitch.conf': 'hosts: files dns\npasswd: files\ngroup: files\n',
  hosts: '127.0.0.1 localhost\n::1 localhost\n',
};

/** A local route for all addresses makes every address an address of this machine ("AnyIP"). */
const SET_UP = [
  'ip link set lo up',
  'ip route add local default dev lo',
  'ip -6 route add local default dev lo',
  ...Object.keys(FILES).map((name) => `mount --bind "$0/${name}" /etc/${name}`),
  'exec "$@"',
].join(' && ');

export interface EndedProgram {
  readonly exitCode: number | null;
  readonly stdout: string;
}

export function whyNoNamespace(): string | null {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  const [program, ...words] = unshare(['sh', '-c', 'ip link set lo up && mount --bind /etc/hosts /etc/hosts']);
  const { status, stderr, error } = spawnSync(program!, words, { encoding: 'utf8' });
  return status === 0 ? null : `no network namespace can be made here: ${error?.message ?? stderr.trim()}`;
}

/** Runs a program of this project inside the namespace. Its standard error is passed on line by line. */
export async function runInside(script: string, words: readonly string[], report: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-closed-network-'));
  try {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    const inside = ['setpriv', '--pdeathsig', 'KILL', process.execPath, script, ...words];
    const [program, ...rest] = unshare(['sh', '-c', SET_UP, folder, ...inside]);
    const child = spawn(program!, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => piece.trim().split('\n').forEach(report));
    const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { exitCode, stdout } satisfies EndedProgram;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Root needs no user namespace, and a database server that changes its user could not run in one. */
function unshare(words: readonly string[]): string[] {
  return ['unshare', ...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--net', '--mount', ...words];
}
