import type { WatchedPage } from '../records.ts';
import { type RunRecord, RunWriter } from './run-file.ts';

type Finish = (record: RunRecord, sweptAtMs: number, devices: readonly number[]) => Promise<void>;

/**
 * The pages that the first sweep finds. They are written in order, as they come, and become part of the
 * memory only when the listing is finished.
 */
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
