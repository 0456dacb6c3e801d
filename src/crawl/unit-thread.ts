/** A crawler unit as the controller sees it: a thread that takes messages, reports, and may die. */
import { Worker } from 'node:worker_threads';
import type { FromUnit, ToUnit, UnitSetup } from './messages.ts';

/** Keeps a unit's heap small, so that memory is for page bodies, and lets one that runs wild fail alone. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 512 };

export class UnitThread {
  readonly name: string;
  /** The URLs it has been given and has not yet answered for. */
  assigned = 0;
  drained = false;
  readonly #worker: Worker;
  readonly #parsing: Float64Array;

  constructor(
    setup: Omit<UnitSetup, 'parsing'>,
    onMessage: (unit: UnitThread, message: FromUnit) => void,
    onDeath: (unit: UnitThread, cause: string) => void,
  ) {
    this.name = setup.name;
    const parsing = new SharedArrayBuffer(8);
    this.#parsing = new Float64Array(parsing);
    const workerData: UnitSetup = { ...setup, parsing };
    this.#worker = new Worker(new URL(`./unit${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url), {
      workerData,
      resourceLimits: RESOURCE_LIMITS,
    });
    let cause = 'it ended by itself';
    this.#worker.on('message', (message: FromUnit) => {
      if (message.type === 'drained') this.drained = true;
      onMessage(this, message);
    });
    this.#worker.on('error', (error) => {
      cause = String((error as Error).message ?? error);
    });
    this.#worker.on('exit', () => {
      if (!this.drained) onDeath(this, cause);
    });
  }

  post(message: ToUnit): void {
    this.#worker.postMessage(message);
  }

  /** The URL whose content it was working on; 0 for none. Tells which page brought a unit down. */
  get parsingId(): number {
    return this.#parsing[0]!;
  }

  async end(): Promise<void> {
    this.drained = true;
    await this.#worker.terminate();
  }
}
