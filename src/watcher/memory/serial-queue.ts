/** Runs tasks one after the other. Each task begins when the previous one has ended, with success or failure. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves when all tasks so far have ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
