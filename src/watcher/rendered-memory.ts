/**
 * A memory for the pages that a program serves. It ignores new pages that are files: a program may also serve a folder,
 * and sweeps find its files, so these would be reported twice.
 */

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeUri } from '../core/decode-uri.ts';
import type { SiteMemory } from './memory/site-memory.ts';
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
      // A file that was just created may be served before a sweep finds it.
      const found = await stat(join(this.#rules!.roots[root]!.folder, path)).catch(() => null);
      if (found?.isFile()) return true;
    }
    return false;
  }
}

/** The files that would be served at a URL, whether they exist or not. */
export function filesOf(
  url: string,
  rules: NumberedRules | null,
  indexNames: readonly string[],
): { readonly root: number; readonly path: string }[] {
  return (rules?.roots ?? []).flatMap((watched, root) => {
    if (watched === null || !url.startsWith(watched.prefix)) return [];
    const written = url.slice(watched.prefix.length);
    const path = decodeUri(written) ?? written;
    const isFolder = path === '' || path.endsWith('/');
    // `urlOf` decides which extension is dropped.
    const names = isFolder ? indexNames.map((name) => path + name) : [path, `${path}.html`, `${path}.htm`];
    return names.filter((name) => rules!.urlOf(root, name) === url).map((path) => ({ root, path }));
  });
}
