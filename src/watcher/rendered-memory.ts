/**
 * The memory as what a program serves is noted in it: the same, but for pages that are files. A program may serve a folder, too; its files
 * are found by sweeps, and would be told twice.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SiteMemory } from './detect/site-memory.ts';
import type { Change, WatchedPage } from './records.ts';
import type { NumberedRules } from './root-numbers.ts';
import type { ServedMemory } from './serve/served-pages.ts';

export class RenderedMemory implements ServedMemory {
  readonly #memory: SiteMemory;
  readonly #rules: NumberedRules | null;
  readonly #indexNames: readonly string[];

  constructor(memory: SiteMemory, rules: NumberedRules | null, indexNames: readonly string[]) {
    this.#memory = memory;
    this.#rules = rules;
    this.#indexNames = indexNames;
  }

  get pageCount(): number {
    return this.#memory.pageCount;
  }

  find(key: string): Promise<WatchedPage | null> {
    return this.#memory.find(key);
  }

  async note(changes: readonly Omit<Change, 'seq'>[]): Promise<readonly Change[]> {
    const rendered: Omit<Change, 'seq'>[] = [];
    for (const change of changes) {
      if (change.kind !== 'new' || !(await this.#isFile(change.page.url))) rendered.push(change);
    }
    return this.#memory.note(rendered);
  }

  async #isFile(url: string): Promise<boolean> {
    for (const { root, path } of filesOf(url, this.#rules, this.#indexNames)) {
      if ((await this.#memory.find(`${root}/${path}`)) !== null) return true;
      // One that was put there a moment ago is served before a sweep finds it.
      const found = await stat(join(this.#rules!.roots[root]!.folder, path)).catch(() => null);
      if (found?.isFile()) return true;
    }
    return false;
  }
}

/** The files that would be served at a URL, whether they are there or not. */
export function* filesOf(
  url: string,
  rules: NumberedRules | null,
  indexNames: readonly string[],
): Generator<{ readonly root: number; readonly path: string }> {
  for (const [root, watched] of (rules?.roots ?? []).entries()) {
    if (watched === null || !url.startsWith(watched.prefix)) continue;
    const path = decoded(url.slice(watched.prefix.length));
    const isFolder = path === '' || path.endsWith('/');
    // Whatever ending is dropped, urlOf knows.
    const names = isFolder ? indexNames.map((name) => path + name) : [path, `${path}.html`, `${path}.htm`];
    for (const name of names) if (rules!.urlOf(root, name) === url) yield { root, path: name };
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
