/** The visible lines of a tree. In: the loaded folders and which are open. Out: the lines from top to bottom. */
import type { Answer } from '../../../serve/contract/routes.ts';

export type Folder = Answer<'getTree'>;
export type Folders = ReadonlyMap<string, Folder>;

export interface TreeLine {
  readonly key: string;
  readonly row: Folder['rows'][number];
  /** The path of a folder begins and ends with a slash. */
  readonly path: string;
  readonly parent: string;
  /** From 1. */
  readonly level: number;
}

export function flattenTree(folders: Folders, opened: ReadonlySet<string>): readonly TreeLine[] {
  const lines: TreeLine[] = [];
  const add = (parent: string, level: number): void => {
    for (const row of folders.get(parent)?.rows ?? []) {
      const path = row.isFolder ? `${parent}${row.name.replace(/\/$/, '')}/` : `${parent}${row.name}`;
      lines.push({ key: `${row.isFolder}${path}`, row, path, parent, level });
      if (row.isFolder && opened.has(path)) add(path, level + 1);
    }
  };
  add('/', 1);
  return lines;
}

/** `/a/b/` has the parents `/`, `/a/` and `/a/b/`. */
export function parentsOf(folder: string): string[] {
  const parents = ['/'];
  for (const name of folder.split('/').filter((part) => part !== '')) parents.push(`${parents.at(-1)}${name}/`);
  return parents;
}
