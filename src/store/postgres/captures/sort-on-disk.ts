/**
 * Sorts more items than fit into memory (external merge sort). In: items in any order. Out: the same items by their
 * keys, in byte order. What always holds: at most `atOnce` items are in memory, and the temporary files are deleted at
 * the end, also when the reader stops early. Items that fit into memory need no file.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Keyed<T> {
  readonly key: string;
  /** The item must survive JSON: it is written to a file and read back. */
  readonly item: T;
}

const AT_ONCE = 50_000;
/** So many files are merged into one. More files would exceed the limit of open files of a process. */
const MOST_RUNS = 32;
const LINES_AT_ONCE = 500;

export async function* sortOnDisk<T>(
  items: AsyncIterable<Keyed<T>>,
  atOnce = AT_ONCE,
  mostRuns = MOST_RUNS,
): AsyncGenerator<T> {
  let gathered: Keyed<T>[] = [];
  const runs = new Runs<T>(mostRuns);
  try {
    for await (const item of items) {
      gathered.push(item);
      if (gathered.length < atOnce) continue;
      await runs.add(sorted(gathered));
      gathered = [];
    }
    for await (const { item } of runs.merged(sorted(gathered))) yield item;
  } finally {
    await runs.remove();
  }
}

/**
 * Sorted files in levels. A file of one level was merged from `most` files of the
 * level below, so each item is copied only a few times.
 */
class Runs<T> {
  readonly #most: number;
  readonly #levels: string[][] = [];
  #folder: string | null = null;
  #written = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async add(items: readonly Keyed<T>[]): Promise<void> {
    await this.#keep(await this.#write(items), 0);
  }

  async *merged(rest: readonly Keyed<T>[]): AsyncGenerator<Keyed<T>> {
    // There are few levels with few files each, so all files can be open at once.
    const files = this.#levels.flat();
    yield* mergeSorted([...files.map((file) => readRun<T>(file)), inMemory(rest)]);
  }

  async remove(): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  async #keep(file: string, level: number): Promise<void> {
    this.#levels[level] ??= [];
    const files = this.#levels[level];
    files.push(file);
    if (files.length < this.#most) return;
    this.#levels[level] = [];
    const joined = await this.#write(mergeSorted(files.map((each) => readRun<T>(each))));
    for (const each of files) await rm(each);
    await this.#keep(joined, level + 1);
  }

  async #write(items: Iterable<Keyed<T>> | AsyncIterable<Keyed<T>>): Promise<string> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'orbweaver-sort-'));
    const file = join(this.#folder, `${this.#written++}`);
    await pipeline(Readable.from(linesOf(items)), createWriteStream(file, { mode: 0o600 }));
    return file;
  }
}

async function* linesOf<T>(items: Iterable<Keyed<T>> | AsyncIterable<Keyed<T>>): AsyncGenerator<string> {
  let lines: string[] = [];
  for await (const item of items) {
    if (lines.push(JSON.stringify(item)) < LINES_AT_ONCE) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

async function* readRun<T>(file: string): AsyncGenerator<Keyed<T>> {
  const stream = createReadStream(file);
  try {
    for await (const line of createInterface({ input: stream })) yield JSON.parse(line) as Keyed<T>;
  } finally {
    stream.destroy();
  }
}

async function* inMemory<T>(items: readonly Keyed<T>[]): AsyncGenerator<Keyed<T>> {
  yield* items;
}

async function* mergeSorted<T>(sources: readonly AsyncGenerator<Keyed<T>>[]): AsyncGenerator<Keyed<T>> {
  try {
    const heads: { readonly from: AsyncGenerator<Keyed<T>>; first: Keyed<T> }[] = [];
    for (const from of sources) {
      const { value, done } = await from.next();
      if (!done) heads.push({ from, first: value });
    }
    while (heads.length > 0) {
      let least = 0;
      for (let i = 1; i < heads.length; i++) if (heads[i]!.first.key < heads[least]!.first.key) least = i;
      const head = heads[least]!;
      yield head.first;
      const { value, done } = await head.from.next();
      if (done) heads.splice(least, 1);
      else head.first = value;
    }
  } finally {
    for (const from of sources) await from.return(undefined);
  }
}

function sorted<T>(items: Keyed<T>[]): Keyed<T>[] {
  return items.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** A key whose characters compare in the same order as the bytes of the text. */
export function byteOrder(text: string): string {
  return Buffer.from(text).toString('latin1');
}
