import { formOf, keyOf } from '../memory/key-order.ts';
import type { Ledger } from '../memory/ledger.ts';
import type { WatchedPage } from '../records.ts';
import type { SiteTree } from './site-tree.ts';
import { hasRoot, pathOf, rootOf, type SiteView } from './site-view.ts';

/** Number of names that are searched for a file of the same URL. */
const MAX_CHECKED = 1_000;
const ENDINGS = ['.html', '.htm', '.xhtml', '.shtml', '.php', '.txt', ''] as const;

export interface FilePlace {
  readonly form: string;
  readonly root: number;
  readonly path: string;
}

/**
 * Files with the same URL: `index.html` and `index.htm`, `a.html` and `a/index.html`. They exist only if a
 * URL does not end with the file's own name. The rules list the files that precede a file; the files that
 * follow it are searched in the usual places.
 */
export class SameUrlFiles {
  readonly #view: SiteView;
  readonly #tree: SiteTree;

  constructor(view: SiteView, tree: SiteTree) {
    this.#view = view;
    this.#tree = tree;
  }

  /** The page that had the URL of a file that appeared. */
  inLedger({ form, root, path, url }: FilePlace & { readonly url: string }, ledger: Ledger): WatchedPage | null {
    if (isOwnName(path, url)) return null;
    for (const other of new Set([...this.#view.before(root, path), ...this.#alike(root, path, url)])) {
      const otherForm = `${root}/${formOf(other)}`;
      const page = otherForm === form ? null : ledger.find(otherForm);
      if (page?.url === url) return page;
    }
    return null;
  }

  /** The file that is now served at the URL of a deleted page. */
  onDisk(was: WatchedPage, isServed: (root: number, path: string) => boolean): FilePlace | null {
    const root = rootOf(was.key);
    const path = pathOf(was.key);
    if (!hasRoot(this.#view, root) || isOwnName(path, was.url)) return null;
    for (const other of this.#alike(root, path, was.url)) {
      if (other === path || typeof this.#tree.fileAt(root, other) === 'string') continue;
      if (this.#tree.isReachable(root, other) && isServed(root, other)) {
        return { form: `${root}/${formOf(other)}`, root, path: other };
      }
    }
    return null;
  }

  /**
   * Files that the rules map to the same URL: the name with another extension, the index in a folder of that name, the
   * file beside its own folder, and, for a page that represents its folder, any other file there. They may not exist.
   */
  *#alike(root: number, path: string, url: string): Generator<string> {
    const slash = path.lastIndexOf('/');
    const folder = path.slice(0, Math.max(0, slash));
    const point = path.lastIndexOf('.');
    const stem = point > slash + 1 ? path.slice(0, point) : path;
    const stems = folder === '' ? [stem, `${stem}/index`] : [stem, `${stem}/index`, folder];
    for (const each of stems) {
      for (const ending of ENDINGS) if (this.#view.urlOf(root, each + ending) === url) yield each + ending;
    }
    if (isFolderUrl(folder, url)) yield* this.#beside(root, folder, url);
  }

  *#beside(root: number, folder: string, url: string): Generator<string> {
    const names = this.#tree.names(root, folder);
    if (names === null) return;
    try {
      for (let checked = 0; checked < MAX_CHECKED; checked++) {
        const { done, value } = names.forms.next();
        if (done === true) return;
        const name = keyOf(value);
        if (name.endsWith('/')) continue;
        const path = folder === '' ? name : `${folder}/${name}`;
        if (this.#view.urlOf(root, path) === url) yield path;
      }
    } finally {
      names.close();
    }
  }
}

/** Whether this is the URL of the folder itself. Few files of a folder have it. */
function isFolderUrl(folder: string, url: string): boolean {
  if (!url.endsWith('/')) return false;
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  return name === '' || url.endsWith(`/${name}/`) || url.endsWith(`/${encodeURIComponent(name)}/`);
}

function isOwnName(path: string, url: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (url.endsWith(`/${name}`)) return true;
  try {
    return url.endsWith(`/${encodeURIComponent(name)}`) || decodeURIComponent(url).endsWith(`/${name}`);
  } catch {
    return false;
  }
}
