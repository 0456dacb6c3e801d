/** The rules of a site that detection needs: which files are pages, and their URLs. */
export interface SiteView {
  /** By root number; null if the root is no longer watched. */
  readonly roots: readonly ({ readonly folder: string } | null)[];
  /** Whether the walk enters a folder (path below its root, separated by '/'). */
  isWalked(folder: string): boolean;
  /** The URL path of a file; null if the file is not a page. */
  urlOf(root: number, path: string): string | null;
  /** Files of the same root that the web server prefers at this URL. */
  before(root: number, path: string): readonly string[];
}

/** Whether a root with this number is watched. */
export function hasRoot({ roots }: SiteView, root: number): boolean {
  return (roots[root] ?? null) !== null;
}

/** The root number in a form or key; NaN for pages rendered by a program. */
export function rootOf(form: string): number {
  const number = form.slice(0, form.indexOf('/'));
  return /^\d+$/.test(number) ? Number(number) : Number.NaN;
}

export function pathOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
