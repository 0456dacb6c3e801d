import type { WatchedPage } from '../records.ts';
import { type RunRecord, RunWriter } from './run-file.ts';

type Finish = (record: RunRecord, sweptAtMs: number, devices: readonly number[]) => Promise<void>;

/** What the first sweep finds: written as it comes, in order. It counts when it is finished; until then it is as if nothing were there. */
export class FirstListing {
  readonly #writer: RunWriter;
  readonly #finish: Finish;

  constructor(folder: string, name: string, finish: Finish) {
    this.#writer = new RunWriter(folder, name);
    this.#finish = finish;
  }

  get pages(): number {
    return this.#writer.lines;
  }

  add(page: WatchedPage): void {
    this.#writer.add(page);
  }

  async finish(sweptAtMs: number, devices: readonly number[]): Promise<void> {
    await this.#finish(await this.#writer.finish(), sweptAtMs, devices);
  }

  abandon(): void {
    this.#writer.abandon();
  }
}
