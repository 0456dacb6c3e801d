/**
 * The web interface beside a crawl: a process of its own, so that it cannot slow down the controller, and so that it is
 * the same program as `orbweaver serve`. It ends with this process, however that ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { say } from './log.ts';

/** A machine under load needs some time to load the program. */
const START_WITHIN_MS = 20_000;
/** It saves the runs that it has started. */
const END_WITHIN_MS = 30_000;

export interface LiveView {
  /** Stays until the user ends it. */
  untilSignal(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the interface and prints its address. A crawl does not fail if there is no interface. */
export async function showLiveView(dir: string): Promise<LiveView> {
  const words = [process.argv[1]!, 'serve', '--dir', dir, '--port', '0', '--json'];
  // The channel tells the interface when this process has ended.
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
  const child = spawn(process.execPath, [...process.execArgv, ...words], { stdio: [...stdio], detached: true });
  try {
    say(`Live view: ${await linkOf(child)}`);
  } catch (error) {
    say(`There is no live view: ${(error as Error).message}`);
  }
  return {
    untilSignal: () => (isOver(child) ? Promise.resolve() : untilSignal(child)),
    close: async () => {
      if (isOver(child)) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

/** The interface prints one object when it is ready. */
async function linkOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  let errors = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.includes('\n')) resolve((JSON.parse(output) as { readonly link: string }).link);
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-1_000);
  });
  child.once('error', reject);
  child.once('exit', () => reject(new Error(errors.trim().split('\n').at(-1) || 'it ended at once')));
  const timer = setTimeout(() => reject(new Error('it did not start in time')), START_WITHIN_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}

function untilSignal(child: ChildProcess): Promise<void> {
  say('The live view stays open. Ctrl-C ends it.');
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    child.once('exit', () => resolve());
  });
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
