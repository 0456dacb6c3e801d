/**
 * A real folder with a detector on it, and a simple model to compare with: the content
 * that a web server would serve at each URL.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { Detector, type DetectorOptions, type DetectorParts } from '../../../src/watcher/detect/detector.ts';
import type { SiteView } from '../../../src/watcher/detect/site-view.ts';
import { type MemoryOptions, SiteMemory } from '../../../src/watcher/memory/site-memory.ts';
import { Pace } from '../../../src/watcher/pace/pace.ts';
import type { Change, WatchedPage } from '../../../src/watcher/records.ts';

/**
 * `index.html` comes before `index.htm` for the URL of a folder. In folders that begin with `clean`,
 * `a.html` comes before `a/index.html` for `/a/`.
 */
export function testView(...folders: string[]): SiteView {
  const encode = (path: string) => path.split('/').map(encodeURIComponent).join('/');
  const isClean = (path: string) => path.startsWith('clean');
  return {
    roots: folders.map((folder) => ({ folder })),
    isWalked: (folder) => !/(?:^|\/)\./.test(folder),
    urlOf(root, path) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (name.startsWith('.') || name.endsWith('.png')) return null;
      const prefix = root === 0 ? '/' : `/r${root}/`;
      if (name === 'index.html' || name === 'index.htm') return prefix + encode(path.slice(0, -name.length));
      if (isClean(path) && name.endsWith('.html')) return `${prefix}${encode(path.slice(0, -5))}/`;
      return prefix + encode(path);
    },
    before(_, path) {
      const found: string[] = [];
      const folder = /^(.+)\/index\.html?$/.exec(path)?.[1];
      if (folder?.includes('/') && isClean(folder)) found.push(`${folder}.html`);
      if (path.endsWith('index.htm') && /(?:^|\/)index\.htm$/.test(path)) found.push(`${path}l`);
      return found;
    },
  };
}

export function hashOf(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('base64url');
}

/** The served content: URL → hash. */
export function served(view: SiteView): Map<string, string> {
  const found = new Map<string, string>();
  for (const [root, watched] of view.roots.entries()) {
    if (watched === null) continue;
    const { folder } = watched;
    const isFile = (path: string): boolean => {
      try {
        const stats = lstatSync(join(folder, path));
        if (stats.isFile()) return true;
        return (
          stats.isSymbolicLink() &&
          realpathSync(join(folder, path)).startsWith(`${folder}/`) &&
          statSync(join(folder, path)).isFile()
        );
      } catch {
        return false;
      }
    };
    const visit = (below: string): void => {
      for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
        const path = below + entry.name;
        if (entry.isDirectory()) {
          if (view.isWalked(path)) visit(`${path}/`);
          continue;
        }
        const url = view.urlOf(root, path);
        if (url === null || !isFile(path) || view.before(root, path).some(isFile)) continue;
        assert.ok(!found.has(url), `the test's rules give ${url} twice`);
        found.set(url, hashOf(readFileSync(join(folder, path))));
      }
    };
    visit('');
  }
  return found;
}

/**
 * The knowledge of a crawler that read the listing and then follows the changes. Each change must fit this knowledge.
 */
export class Reader {
  readonly pages = new Map<string, string>();
  /** The file of each URL. */
  readonly keys = new Map<string, string>();
  cursor = 0;
  readonly kinds: Record<string, number> = { new: 0, updated: 0, deleted: 0, moved: 0 };

  async list(memory: SiteMemory): Promise<void> {
    this.cursor = memory.lastSeq;
    this.pages.clear();
    for (const { url, hash, key } of await allPages(memory)) {
      this.pages.set(url, hash);
      this.keys.set(url, key);
    }
  }

  async follow(memory: SiteMemory): Promise<Change[]> {
    const read: Change[] = [];
    for (;;) {
      const changes = await memory.changes(this.cursor, 50);
      if (changes.length === 0) return read;
      for (const change of changes) this.take(change);
      read.push(...changes);
    }
  }

  take(change: Change): void {
    const { seq, kind, page, was, from, to } = change;
    const about = JSON.stringify(change);
    assert.equal(seq, this.cursor + 1, about);
    this.cursor = seq;
    this.kinds[kind]!++;
    const known = this.pages.get(page.url);
    if (kind === 'new') assert.equal(known, undefined, `new, but known: ${about}`);
    else assert.equal(was, known, `not what was known: ${about}`);
    const isMoved = this.keys.get(page.url) !== page.key;
    if (kind === 'updated' && !isMoved) assert.notEqual(page.hash, was, `the same as before: ${about}`);
    if (from !== null) {
      this.kinds.moved!++;
      assert.ok(!this.pages.has(from), `moved from a page that is there: ${about}`);
    }
    assert.ok(kind === 'deleted' || to === null);
    this.keys.set(page.url, page.key);
    if (kind === 'deleted') this.pages.delete(page.url);
    else this.pages.set(page.url, page.hash);
  }
}

export async function allPages(memory: SiteMemory): Promise<WatchedPage[]> {
  const all: WatchedPage[] = [];
  for (let after: string | null = null; ; after = all.at(-1)!.key) {
    const part: readonly WatchedPage[] = await memory.pages(after, 500);
    if (part.length === 0) return all;
    all.push(...part);
  }
}

export function fastPace(): Pace {
  return new Pace({ share: 1, rushHours: null, maxLoad: null, clock: systemClock, cpuMs: () => 0 });
}

/** Parts of a detector that never pauses and finds no events in a page. */
export function testParts(memory: SiteMemory, view: SiteView): DetectorParts {
  return { memory, view, pace: fastPace(), clock: systemClock, examine: () => ({ events: [] }) };
}

export interface Watched {
  readonly root: string;
  readonly view: SiteView;
  readonly memory: SiteMemory;
  readonly detector: Detector;
  readonly notices: string[];
  readonly reader: Reader;
  /** Reads the changes and compares the reader's knowledge with the served content. */
  compare(): Promise<Change[]>;
}

export async function watchFolder(
  t: TestContext,
  fill: (root: string) => void,
  options: DetectorOptions = {},
  memoryOptions: MemoryOptions = {},
): Promise<Watched> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'watched-')));
  const root = join(base, 'root');
  mkdirSync(root);
  fill(root);
  const view = testView(root);
  const notices: string[] = [];
  const notify = ({ code }: { readonly code: string }) => notices.push(code);
  const memory = await SiteMemory.open(join(base, 'memory'), systemClock, { notify, ...memoryOptions });
  const detector = new Detector(testParts(memory, view), { notify, ...options });
  t.after(async () => {
    await detector.stop();
    await memory.close();
    rmSync(base, { recursive: true, force: true });
  });
  const reader = new Reader();
  const compare = async () => {
    const changes = await reader.follow(memory);
    const expected = [...served(view)].sort();
    assert.deepEqual([...reader.pages].sort(), expected, 'the reader knows the served state');
    const pages = await allPages(memory);
    assert.deepEqual(pages.map(({ url, hash }) => [url, hash]).sort(), expected, 'the memory has the served state');
    assert.equal(memory.pageCount, expected.length);
    return changes;
  };
  return { root, view, memory, detector, notices, reader, compare };
}
