import { keyOf } from './key-order.ts';
import type { SiteTree } from './site-tree.ts';
import type { SiteView } from './site-view.ts';

/** A thing the walk comes to; the same object each time. */
export interface Step {
  /** `folder`: it is about to be listed. `unreadable`: a folder of which nothing can be said. `file`: anything else. */
  kind: 'folder' | 'unreadable' | 'file';
  /** With the number of the root; of a folder with `/` at the end. */
  form: string;
  /** Below the root. */
  path: string;
}

interface Open {
  readonly form: string;
  readonly path: string;
  readonly forms: Iterator<string>;
  close(): void;
}

/** All files of a folder and what is below it, in the order of their forms. Holds the names of one folder a level. */
export function* walk(tree: SiteTree, view: SiteView, root: number, folder: string): Generator<Step, void, void> {
  const step: Step = { kind: 'folder', form: folder, path: '' };
  const open: Open[] = [];
  const begin = (form: string, path: string): boolean => {
    const names = tree.names(root, path);
    if (names !== null) open.push({ form, path: path === '' ? '' : `${path}/`, ...names });
    return names !== null;
  };
  const show = (kind: Step['kind'], form: string, path: string): Step => {
    step.kind = kind;
    step.form = form;
    step.path = path;
    return step;
  };
  try {
    const top = keyOf(folder).slice(folder.indexOf('/') + 1, -1);
    yield show('folder', folder, top);
    if (!begin(folder, top)) yield show('unreadable', folder, top);
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
      yield show('folder', form, path);
      if (!begin(form, path)) yield show('unreadable', form, path);
    }
  } finally {
    for (const { close } of open) close();
  }
}
