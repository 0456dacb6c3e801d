/** Random changes of a folder. */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export type Random = (below: number) => number;

const NAMES = [
  'a.html',
  'b.html',
  'c d.html',
  'é.html',
  '😀.html',
  'new\nline.html',
  'q"uote.html',
  'back\\slash',
  'index.html',
  'index.htm',
  'page',
  'a',
  'b',
  'x.png',
  '.hidden',
  'a b',
  'a!',
  'a.htm',
  '100%.html',
];
const FOLDERS = [
  'a',
  'b',
  'c',
  'clean',
  'clean/a',
  'clean/b',
  'deep/1/2/3/4/5/6/7/8/9',
  'ü',
  'with space',
  'new\nfolder',
  '.git',
  'a/b',
  'a/b/c',
  'page',
];

export class Mutator {
  readonly #root: string;
  readonly #random: Random;
  #count = 0;

  constructor(root: string, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  fill(files: number): void {
    for (let at = 0; at < files; at++) this.#write(this.#anyPath());
  }

  /** Makes one change. A change that is impossible is skipped. */
  step(): void {
    try {
      this.#step();
    } catch (error) {
      // For example a file where a folder was expected.
      if (
        !/^(?:ENOENT|ENOTDIR|EISDIR|EEXIST|ENOTEMPTY|EINVAL|ELOOP|ERR_FS_EISDIR|EPERM)$/.test(
          (error as NodeJS.ErrnoException).code ?? '',
        )
      )
        throw error;
    }
  }

  #step(): void {
    const file = this.#anyFile();
    const kind = this.#random(16);
    if (kind < 2 || file === null) this.#write(this.#anyPath());
    else if (kind === 2) writeFileSync(file, this.#content());
    else if (kind === 3) this.#editUnseen(file);
    else if (kind === 4) utimesSync(file, new Date(), new Date());
    else if (kind === 5) utimesSync(file, 1, this.#random(2) === 0 ? 1_000 : 4_000_000_000);
    else if (kind === 6) chmodSync(file, this.#random(2) === 0 ? 0o644 : 0o600);
    else if (kind === 7) unlinkSync(file);
    else if (kind === 8) moveTo(file, this.#anyPath());
    else if (kind === 9) moveTo(this.#anyFolder(), this.#anyFolder());
    else if (kind === 10) this.#replace(file);
    else if (kind === 11) this.#swapKind(this.#anyPath());
    else if (kind === 12) rmSync(this.#anyFolder(), { recursive: true, force: true });
    else if (kind === 13) appendFileSync(file, 'more');
    else if (kind === 14) (this.#random(2) === 0 ? linkSync : symlinkSync)(file, this.#anyPath());
    else this.#intoFolder(this.#anyFolder());
  }

  /** Keeps the size and restores the modification time. */
  #editUnseen(file: string): void {
    const { atime, mtime } = lstatSync(file);
    const content = readFileSync(file);
    if (content.length > 0) content[content.length - 1]! ^= 1;
    writeFileSync(file, content);
    utimesSync(file, atime, mtime);
  }

  #replace(file: string): void {
    const beside = join(dirname(file), '.replacing');
    writeFileSync(beside, this.#random(2) === 0 ? readFileSync(file) : this.#content());
    renameSync(beside, file);
  }

  #swapKind(path: string): void {
    rmSync(path, { recursive: true, force: true });
    if (this.#random(2) === 0) mkdirSync(path);
    else this.#write(join(path, 'in.html'));
  }

  #intoFolder(folder: string): void {
    if (existsSync(folder) && lstatSync(folder).isFile()) unlinkSync(folder);
    this.#write(join(folder, NAMES[this.#random(NAMES.length)]!));
  }

  #content(): string {
    const kind = this.#random(8);
    if (kind === 0) return '';
    if (kind === 1) return 'always the same';
    return `${this.#count++} ${'x'.repeat(this.#random(200))}`;
  }

  #write(path: string): void {
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, this.#content());
    } catch {}
  }

  #anyFolder(): string {
    return join(this.#root, FOLDERS[this.#random(FOLDERS.length)]!);
  }

  #anyPath(): string {
    const folder = this.#random(4) === 0 ? this.#root : this.#anyFolder();
    const name = this.#random(2) === 0 ? NAMES[this.#random(NAMES.length)]! : `${this.#random(400)}.html`;
    return join(folder, name);
  }

  #anyFile(): string | null {
    for (let tries = 0; tries < 5; tries++) {
      const folder = this.#random(4) === 0 ? this.#root : this.#anyFolder();
      let names: string[];
      try {
        names = readdirSync(folder);
      } catch {
        continue;
      }
      if (names.length === 0) continue;
      const path = join(folder, names[this.#random(names.length)]!);
      if (lstatSync(path).isFile()) return path;
    }
    return null;
  }
}

function moveTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}
