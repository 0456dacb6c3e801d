/**
 * Estimates how many links an unfetched page will have. Only a fetch would tell (P4), but the pages of one directory
 * are alike. The estimate is the mean of the fetched pages of the directory, or of all fetched pages.
 *
 * Memory is bounded: when the young generation of directories is full, the old generation is dropped.
 */
const GENERATION = 10_000;

interface Sum {
  links: number;
  pages: number;
}

export class SiblingLinks {
  #young = new Map<string, Sum>();
  #old = new Map<string, Sum>();
  readonly #all: Sum = { links: 0, pages: 0 };

  fetched(url: string, links: number): void {
    const directory = directoryOf(url);
    let sum = this.#young.get(directory) ?? this.#old.get(directory);
    if (sum === undefined) sum = { links: 0, pages: 0 };
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(directory, sum);
    for (const each of [sum, this.#all]) {
      each.links += links;
      each.pages++;
    }
  }

  expected(url: string): number {
    const directory = directoryOf(url);
    const sum = this.#young.get(directory) ?? this.#old.get(directory) ?? this.#all;
    return sum.pages === 0 ? 0 : sum.links / sum.pages;
  }
}

/** The URL up to and including the last slash of its path. */
function directoryOf(url: string): string {
  const query = url.indexOf('?');
  return url.slice(0, url.lastIndexOf('/', query < 0 ? undefined : query) + 1);
}
