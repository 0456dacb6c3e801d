/** What detection needs to know of a site: which files are pages, and at which URL. */
export interface SiteRootView {
  readonly folder: string;
}

export interface SiteView {
  /** By number; null where one is not watched any more. */
  readonly roots: readonly (SiteRootView | null)[];
  /** Whether the walk goes into a folder (path below its root, '/' between). */
  isWalked(folder: string): boolean;
  /** The URL path of a file, or null where it is no page. */
  urlOf(root: number, path: string): string | null;
  /** Files of the same root that the web server would rather serve at this URL. */
  before(root: number, path: string): readonly string[];
}

/** Whether a root of this number is watched. */
export function hasRoot({ roots }: SiteView, root: number): boolean {
  return (roots[root] ?? null) !== null;
}

/** The number of the root that a form or key is of; NaN for what a program renders. */
export function rootOf(form: string): number {
  const number = form.slice(0, form.indexOf('/'));
  return /^\d+$/.test(number) ? Number(number) : Number.NaN;
}

export function pathOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
