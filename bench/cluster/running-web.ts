/** The running web of many hosts. In: its shape. Out: an object that returns the requests and can be stopped. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { treeUse } from '../../testbed/measure/process-tree.ts';
import type { ManyHostsShape } from './many-hosts.ts';
import type { FromWeb, ToWeb } from './serve-many-hosts.ts';
import type { WebRequest } from './web-log.ts';

export class RunningWeb {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Returns when every host listens. */
  static async start(shape: ManyHostsShape): Promise<RunningWeb> {
    const child = fork(join(import.meta.dirname, 'serve-many-hosts.ts'), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const web = new RunningWeb(child);
    const heard = await web.#ask({ serve: shape });
    if (heard === 'listening') return web;
    await web.stop();
    throw new Error(`the web cannot be served: ${'failure' in heard ? heard.failure : 'it is not ready'}`);
  }

  get cpuSeconds(): number {
    return treeUse([this.#child.pid!]).cpuSeconds;
  }

  /** Returns the requests that ended since the last call, in the order of their end. */
  async takeRequests(): Promise<readonly WebRequest[]> {
    const heard = await this.#ask('take');
    if (typeof heard === 'object' && 'requests' in heard) return heard.requests;
    throw new Error('the web does not tell what it was asked');
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await ended;
  }

  async #ask(message: ToWeb): Promise<FromWeb> {
    const { promise, resolve, reject } = Promise.withResolvers<FromWeb>();
    const onExit = () => reject(new Error('the web has ended'));
    this.#child.once('message', resolve).once('exit', onExit).once('error', reject);
    this.#child.send(message);
    try {
      return await promise;
    } finally {
      this.#child.off('message', resolve).off('exit', onExit).off('error', reject);
    }
  }
}
