import { keyOf } from '../memory/key-order.ts';
import type { SiteTree } from './site-tree.ts';
import type { SiteView } from './site-view.ts';

/** One step of the walk. The same object is reused for each step. */
export interface Step {
  /**
   * `folder`: it is about to be listed. `listing`: the listing continues. `unreadable`: its
   * state is unknown. `file`: anything else.
   */
  kind: 'folder' | 'listing' | 'unreadable' | 'file';
  /** With the number of the root; a folder ends with `/`. */
  form: string;
  /** Path below the root. */
  path: string;
}

interface Open {
  readonly form: string;
  readonly path: string;
  readonly forms: Iterator<string>;
  close(): void;
}

/** All files in and below a folder, in the order of their forms. Holds the names of one folder per level in memory. */
export function* walk(tree: SiteTree, view: SiteView, root: number, folder: string): Generator<Step, void, void> {
  const step: Step = { kind: 'folder', form: folder, path: '' };
  const open: Open[] = [];
  const show = (kind: Step['kind'], form: string, path: string): Step => {
    step.kind = kind;
    step.form = form;
    step.path = path;
    return step;
  };
  const begin = function* (form: string, path: string): Generator<Step, void, void> {
    yield show('folder', form, path);
    const listing = tree.list(root, path);
    try {
      let piece = listing.next();
      for (; piece.done !== true; piece = listing.next()) yield show('listing', form, path);
      if (piece.value === null) yield show('unreadable', form, path);
      else open.push({ form, path: path === '' ? '' : `${path}/`, ...piece.value });
    } finally {
      // Closes the folder if the walk stops in the middle of it.
      listing.return(null);
    }
  };
  try {
    const top = keyOf(folder).slice(folder.indexOf('/') + 1, -1);
    yield* begin(folder, top);
    for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
      const { done, value } = current.forms.next();
      if (done === true) {
        open.pop()!.close();
        continue;
      }
      const form = current.form + value;
      if (!value.endsWith('/')) {
        yield show('file', form, current.path + keyOf(value));
        continue;
      }
      const path = current.path + keyOf(value).slice(0, -1);
      if (!view.isWalked(path)) continue;
      yield* begin(form, path);
    }
  } finally {
    for (const { close } of open) close();
  }
}
