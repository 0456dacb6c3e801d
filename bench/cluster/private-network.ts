/**
 * A network that only the benchmark uses: a bridge, and places behind it, each with its own address and bandwidth.
 *
 * In: the speed of a place. Out: a place in which programs can be started. What always holds: nothing in this network
 * has a name on the machine or can be reached from outside. It consists of network namespaces without names, which the
 * kernel removes with their last process. Every process ends with the process that started it. So nothing is left
 * behind, after Ctrl-C or after `kill -9`.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Network } from './many-hosts.ts';
import { ENDS_WITH_US } from './worker-process.ts';

const execFileAsync = promisify(execFile);
const BRIDGE = 'bridge0';
const NETWORK: Network = '10.77';
/** The address behind the bridge for PostgreSQL. The web has its own addresses there. */
export const HUB_ADDRESS = `${NETWORK}.0.1`;
const MAX_PLACES = 250;
/** A queue drops packets that wait longer than this, about as a router at home does. */
const QUEUE_MS = 200;
const BURST_BYTES = 16_384;
const START_TIMEOUT_MS = 10_000;
const POLL_MS = 2;
const INSIDE = 'BENCH_PRIVATE_NETWORK';

export interface Limits {
  /** Bandwidth in each direction. */
  readonly megabitsPerSecond: number;
  /** Latency added in each direction, where the system supports it. */
  readonly latencyMs: number;
}

export interface Place {
  readonly address: string;
  /**
   * The words in front of a command that should run in this place. The process id of the command is the id
   * of the started process.
   */
  readonly prefix: readonly string[];
}

/** Returns the reason why this machine cannot have a private network, or undefined when it can. */
export async function whyNoNetwork(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'workers with a network of their own need Linux';
  if (process.getuid?.() !== 0) return 'workers with a network of their own need root: sudo npm run bench -- cluster';
  for (const [program, words, from] of [
    ['ip', ['-V'], 'iproute2'],
    ['tc', ['-V'], 'iproute2'],
    ['setpriv', ['--version'], 'util-linux'],
  ] as const) {
    const found = await execFileAsync(program, [...words]).catch(() => null);
    if (found === null) return `${program} is not installed: apt-get install ${from}`;
  }
  const made = await execFileAsync('unshare', ['--net', 'ip', 'link', 'add', BRIDGE, 'type', 'bridge']).catch(
    (error: Error & { stderr?: string }) => error,
  );
  if (!(made instanceof Error)) return undefined;
  return `the system lets us make no network: ${made.stderr?.trim().split('\n').at(-1) || made.message}`;
}

export function isInside(): boolean {
  return process.env[INSIDE] !== undefined;
}

/** Runs this command again in its own network, which already has loopback. Returns the exit code. */
export async function runInside(): Promise<number> {
  const words = [...ENDS_WITH_US, process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const withLoopback = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const child = spawn('unshare', ['--net', ...withLoopback, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  // A Ctrl-C reaches the child as well, so we only wait for the child.
  const pass = (signal: NodeJS.Signals) => signal === 'SIGTERM' && child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 130;
}

export class PrivateNetwork {
  readonly #holders: ChildProcess[] = [];
  /** Whether the system can add latency. */
  readonly hasLatency: boolean;

  private constructor(hasLatency: boolean) {
    this.hasLatency = hasLatency;
  }

  /** Call this inside the private network, and only once. */
  static async lay(addresses: readonly string[]): Promise<PrivateNetwork> {
    await batch('ip', [
      `link add ${BRIDGE} type bridge`,
      `addr add ${HUB_ADDRESS}/16 dev ${BRIDGE}`,
      ...addresses.map((address) => `addr add ${address}/16 dev ${BRIDGE}`),
      `link set ${BRIDGE} up`,
    ]);
    const tried = await execFileAsync('tc', ['qdisc', 'add', 'dev', 'lo', 'root', 'netem', 'delay', '1ms']).catch(
      () => null,
    );
    if (tried !== null) await execFileAsync('tc', ['qdisc', 'del', 'dev', 'lo', 'root']);
    return new PrivateNetwork(tried !== null);
  }

  async addPlace(limits: Limits | null): Promise<Place> {
    const number = this.#holders.length + 1;
    if (number > MAX_PLACES) throw new RangeError(`at most ${MAX_PLACES} places`);
    const address = `${NETWORK}.1.${number}`;
    // This process keeps the namespace alive. It ends when we close its standard input.
    const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] });
    this.#holders.push(holder);
    await untilAlone(holder.pid!);
    const [near, far] = [nearEnd(number), 'far0'];
    await batch('ip', [
      `link add ${near} type veth peer name ${far} netns ${holder.pid}`,
      `link set ${near} master ${BRIDGE} up`,
    ]);
    const enter = ['--net', `--target=${holder.pid}`];
    await batch(
      'nsenter',
      ['link set lo up', `addr add ${address}/16 dev ${far}`, `link set ${far} up`],
      [...enter, 'ip'],
    );
    if (limits !== null) {
      await execFileAsync('tc', this.#limiting(near, limits));
      await execFileAsync('nsenter', [...enter, 'tc', ...this.#limiting(far, limits)]);
      if (this.hasLatency && limits.latencyMs > 0) {
        await execFileAsync('tc', delaying(near, limits));
        await execFileAsync('nsenter', [...enter, 'tc', ...delaying(far, limits)]);
      }
    }
    return { address, prefix: ['nsenter', ...enter, ...ENDS_WITH_US] };
  }

  /** Removes all places. Programs that still run there lose their network. */
  async close(): Promise<void> {
    const holders = this.#holders.splice(0);
    await batch(
      'ip',
      holders.map((_, place) => `link del ${nearEnd(place + 1)}`),
    );
    for (const holder of holders) {
      const ended = once(holder, 'exit');
      holder.stdin!.end();
      await ended;
    }
  }

  #limiting(device: string, { megabitsPerSecond }: Limits): string[] {
    const rate = ['rate', `${megabitsPerSecond}mbit`, 'burst', String(BURST_BYTES), 'latency', `${QUEUE_MS}ms`];
    return ['qdisc', 'add', 'dev', device, 'root', 'handle', '1:', 'tbf', ...rate];
  }
}

function nearEnd(number: number): string {
  return `near${number}`;
}

async function untilAlone(pid: number): Promise<void> {
  const ours = await readlink('/proc/self/ns/net');
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while ((await readlink(`/proc/${pid}/ns/net`)) === ours) {
    if (performance.now() > deadlineMs) throw new Error('a network namespace could not be made');
    await sleep(POLL_MS);
  }
}

function delaying(device: string, { latencyMs }: Limits): string[] {
  return ['qdisc', 'add', 'dev', device, 'parent', '1:', 'netem', 'delay', `${latencyMs}ms`];
}

/** Passes several lines to `ip` at once: two hundred addresses one by one take a second. */
async function batch(program: string, lines: readonly string[], prefix: readonly string[] = []): Promise<void> {
  const running = execFileAsync(program, [...prefix, '-batch', '-']);
  running.child.stdin!.end(`${lines.join('\n')}\n`);
  await running;
}
