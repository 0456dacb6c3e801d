/** What detection needs to know of a site: which files are pages, and at which URL. */
export interface SiteRootView {
  readonly folder: string;
}

export interface SiteView {
  readonly roots: readonly SiteRootView[];
  /** Whether the walk goes into a folder (path below its root, '/' between). */
  isWalked(folder: string): boolean;
  /** The URL path of a file, or null where it is no page. */
  urlOf(root: number, path: string): string | null;
  /** Files of the same root that the web server would rather serve at this URL. */
  before(root: number, path: string): readonly string[];
}

/** The number of the root that a form or key is of; NaN for what a program renders. */
export function rootOf(form: string): number {
  const number = form.slice(0, form.indexOf('/'));
  return /^\d+$/.test(number) ? Number(number) : Number.NaN;
}

export function pathOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
