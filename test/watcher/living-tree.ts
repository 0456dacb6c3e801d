/**
 * A site of files that change: seeded edits of every kind, and a ledger of all contents of each URL.
 * In: a folder and a seed. Out: after each step, the content that the web server would send now, and
 * every content that it would ever have sent.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export class LivingTree {
  readonly root: string;
  /** Existing files: path below the root → hash. */
  readonly files = new Map<string, string>();
  /** Every content that a URL has ever had, even for a moment. */
  readonly everHad = new Map<string, Set<string>>();
  readonly done = new Map<string, number>();
  readonly #folders: string[] = [];
  #seed: number;
  #count = 0;

  constructor(root: string, folders: number, filesEach: number, seed: number) {
    this.root = root;
    this.#seed = seed;
    for (let f = 0; f < folders; f++) {
      const folder = f % 3 === 0 ? `a${f}` : `a${f - (f % 3)}/b${f}`;
      this.#folders.push(folder);
      mkdirSync(join(root, folder), { recursive: true });
      for (let i = 0; i < filesEach; i++) this.#write(`${folder}/${i === 0 ? 'index' : `page ${i}`}.html`);
    }
  }

  /** The served content: URL → hash. */
  served(): Map<string, string> {
    return new Map([...this.files].map(([path, hash]) => [urlOf(path), hash]));
  }

  /** Makes one change to a file or a folder. */
  step(): void {
    const names = Object.keys(this.#steps);
    const name = names[this.#random(names.length)]!;
    this.done.set(name, (this.done.get(name) ?? 0) + 1);
    const path = this.#anyFile();
    this.#steps[name]!(path, join(this.root, path));
  }

  readonly #steps: Readonly<Record<string, (path: string, full: string) => void>> = {
    edit: (path) => this.#write(path),
    editSameSize: (path) => this.#editSameSize(path),
    editAndBack: (path, full) => {
      const before = readFileSync(full, 'utf8');
      this.#write(path);
      this.#write(path, before);
    },
    touch: (_, full) => utimesSync(full, new Date(), new Date()),
    datePast: (_, full) => utimesSync(full, 1_000_000_000, 1_000_000_000),
    dateFuture: (_, full) => utimesSync(full, 4_000_000_000, 4_000_000_000),
    chmod: (_, full) => chmodSync(full, this.#random(2) === 0 ? 0o644 : 0o640),
    create: () => this.#write(`${this.#folder()}/new ${this.#count++}.html`),
    move: (path) => this.#move(path, `${this.#folder()}/moved ${this.#count++}.html`),
    delete: (path, full) => {
      this.files.delete(path);
      unlinkSync(full);
    },
    replace: (path) => this.#replace(path, this.#content()),
    replaceBySame: (path, full) => this.#replace(path, readFileSync(full, 'utf8')),
    renameFolder: () => this.#renameFolder(),
  };

  #write(path: string, content = this.#content()): void {
    // A reader between the truncation and the write sees an empty file.
    this.#hasHad(path, '');
    this.#hasHad(path, content);
    this.files.set(path, hashOf(content));
    writeFileSync(join(this.root, path), content);
  }

  /** Like `rsync -t` of a file that was edited within the same second: neither the size nor the time shows the edit. */
  #editSameSize(path: string): void {
    const full = join(this.root, path);
    const { atime, mtime } = statSync(full);
    const before = readFileSync(full, 'utf8');
    this.#write(
      path,
      before.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    );
    utimesSync(full, atime, mtime);
  }

  #replace(path: string, content: string): void {
    const beside = join(this.root, dirname(path), `.upload.${this.#count++}`);
    writeFileSync(beside, content);
    this.#hasHad(path, content);
    this.files.set(path, hashOf(content));
    renameSync(beside, join(this.root, path));
  }

  #move(from: string, to: string): void {
    const hash = this.files.get(from)!;
    this.files.delete(from);
    this.files.set(to, hash);
    this.#note(to, hash);
    renameSync(join(this.root, from), join(this.root, to));
  }

  #renameFolder(): void {
    const i = this.#random(this.#folders.length);
    const from = this.#folders[i]!;
    // Only folders without subfolders are renamed.
    if (this.#folders.some((folder) => folder.startsWith(`${from}/`))) return;
    const to = `${dirname(from) === '.' ? '' : `${dirname(from)}/`}renamed ${this.#count++}`;
    this.#folders[i] = to;
    for (const [path, hash] of [...this.files]) {
      if (!path.startsWith(`${from}/`)) continue;
      this.files.delete(path);
      this.files.set(to + path.slice(from.length), hash);
      this.#note(to + path.slice(from.length), hash);
    }
    renameSync(join(this.root, from), join(this.root, to));
  }

  #hasHad(path: string, content: string): void {
    this.#note(path, hashOf(content));
  }

  #note(path: string, hash: string): void {
    const url = urlOf(path);
    const had = this.everHad.get(url) ?? new Set();
    this.everHad.set(url, had.add(hash));
  }

  #content(): string {
    return `<!doctype html><title>Page ${this.#count}</title><p>${1e9 + this.#random(1e9)} words ${this.#count++}`;
  }

  #anyFile(): string {
    for (;;) {
      const folder = this.#folder();
      const names = [...this.#inFolder(folder)];
      if (names.length > 0) return names[this.#random(names.length)]!;
    }
  }

  *#inFolder(folder: string): Iterable<string> {
    for (let i = 0; i < 200; i++) {
      const path = `${folder}/${i === 0 ? 'index' : `page ${i}`}.html`;
      if (this.files.has(path)) yield path;
    }
    for (let i = Math.max(0, this.#count - 400); i < this.#count; i++) {
      for (const kind of ['new', 'moved'])
        if (this.files.has(`${folder}/${kind} ${i}.html`)) yield `${folder}/${kind} ${i}.html`;
    }
  }

  #folder(): string {
    return this.#folders[this.#random(this.#folders.length)]!;
  }

  /** A linear congruential generator: the upper bits are random enough. */
  #random(below: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#seed / 2 ** 32) * below);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function urlOf(path: string): string {
  return `/${encodeURI(path.replace(/(^|\/)index\.html$/, '$1'))}`;
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('base64url');
}
