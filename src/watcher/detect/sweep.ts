/**
 * One comparison of a whole site, or a part of it, with the memory. In: the folders on the disk and the stored pages,
 * both in the same order. Out: every difference goes to the checker. What always holds: the time is linear in the
 * number of files; the sweep only says where to look. So a concurrent change, on the disk or in the memory, causes one
 * check too many or waits for the next sweep, but never a false change.
 */
import { lstatSync } from 'node:fs';
import { behindFolder } from '../memory/key-order.ts';
import type { Ledger } from '../memory/ledger.ts';
import type { SiteMemory } from '../memory/site-memory.ts';
import type { PageChecker } from './page-checker.ts';
import type { SiteTree } from './site-tree.ts';
import { hasRoot, rootOf, type SiteView } from './site-view.ts';
import { walk } from './walk.ts';

export interface SweepParts {
  readonly memory: SiteMemory;
  readonly view: SiteView;
  readonly tree: SiteTree;
  readonly ledger: Ledger;
  readonly checker: PageChecker;
  /** Called before a folder is listed, so that no event is missed between listing and watching it. */
  readonly onFolder: (form: string, path: string) => void;
  /** Awaited while a folder with very many names is listed. */
  readonly onListing: () => Promise<void>;
  /** Called for every file; awaited if it returns a promise. */
  readonly onFile: () => Promise<void> | null;
}

export class Sweep {
  readonly #parts: SweepParts;
  /** The stored pages may follow older rules. An unchanged file then does not mean an unchanged page. */
  readonly #isOfOtherRules: boolean;
  files = 0;

  constructor(parts: SweepParts, isOfOtherRules = false) {
    this.#parts = parts;
    this.#isOfOtherRules = isOfOtherRules;
  }

  /** Stores the existing pages, before anything can count as a change. */
  async first(startedAtMs: number): Promise<void> {
    const { memory, view, tree, checker } = this.#parts;
    const listing = memory.firstListing();
    try {
      const devices: number[] = [];
      for (const root of rootsInOrder(view)) {
        const device = tree.device(root);
        devices[root] = device ?? 0;
        if (device === null) continue;
        for (const { kind, form, path } of walk(tree, view, root, `${root}/`)) {
          if (kind === 'folder') this.#parts.onFolder(form, tree.pathOn(root, path));
          if (kind === 'listing') await this.#parts.onListing();
          if (kind !== 'file') continue;
          await this.#passFile();
          const page = await checker.firstSight(form, root, path);
          if (page !== null) listing.add(page);
        }
      }
      await listing.finish(startedAtMs, devices);
    } catch (error) {
      listing.abandon();
      throw error;
    }
  }

  /** `settle` is called when everything was checked. Pages that were not found by then are deleted. */
  async whole(startedAtMs: number, settle: () => Promise<void>): Promise<void> {
    const { memory, view, tree } = this.#parts;
    const devices: number[] = [];
    for (const root of rootsInOrder(view)) {
      const device = tree.device(root);
      devices[root] = device ?? memory.devices[root] ?? 0;
      if (device === null || this.#isUnmounted(root, device)) continue;
      await this.folder(root, `${root}/`, Number.POSITIVE_INFINITY);
    }
    await this.#formerRoots();
    await settle();
    await this.#parts.ledger.flush();
    await memory.noteSweep(startedAtMs, devices);
  }

  /**
   * Sweeps a folder and everything below it. Returns false if it has more files than
   * `budget`; the sweep is then incomplete.
   */
  async folder(root: number, folder: string, budget: number): Promise<boolean> {
    const { memory, view, tree, checker, ledger } = this.#parts;
    const behind = behindFolder(folder);
    const scan = memory.scan(folder);
    let left = budget;
    const passTo = async (form: string): Promise<void> => {
      for (; scan.form !== null && scan.form < form && left > 0; scan.next(), left--) {
        await this.#passFile();
        await checker.check(scan.form, false, ledger.findAt(scan));
      }
    };
    for (const { kind, form, path } of walk(tree, view, root, folder)) {
      if (kind === 'folder') this.#parts.onFolder(form, tree.pathOn(root, path));
      else if (kind === 'listing') await this.#parts.onListing();
      else if (kind === 'unreadable') {
        await passTo(form);
        while (scan.form?.startsWith(form)) scan.next();
      } else {
        const pass = this.#passFile();
        if (pass !== null) await pass;
        if (scan.form !== null && scan.form < form) await passTo(form);
        if (left-- <= 0) return false;
        if (scan.form === form) {
          if (this.#isOfOtherRules || !this.#isSettled(root, path, scan))
            await checker.check(form, true, ledger.findAt(scan));
          scan.next();
        } else if (view.urlOf(root, path) !== null) await checker.check(form, true);
      }
    }
    await passTo(behind);
    return left > 0;
  }

  #isSettled(root: number, path: string, scan: ReturnType<SiteMemory['scan']>): boolean {
    const { tree, checker } = this.#parts;
    try {
      const stats = lstatSync(tree.pathOn(root, path), { throwIfNoEntry: false });
      if (stats === undefined || !stats.isFile() || !scan.isSettledAs(stats)) return false;
    } catch {
      return false;
    }
    return checker.shadowOf(root, path) === null;
  }

  #passFile(): Promise<void> | null {
    this.files++;
    if (this.#parts.ledger.isFull) return this.#parts.ledger.flush().then(() => this.#parts.onFile() ?? undefined);
    return this.#parts.onFile();
  }

  /** An empty folder on another device, where pages were, is the mount point of a missing disk. */
  #isUnmounted(root: number, device: number): boolean {
    const { memory, tree } = this.#parts;
    const known = memory.devices[root];
    if ((known ?? device) === device) return false;
    if (!memory.scan(`${root}/`, 4_096).form?.startsWith(`${root}/`)) return false;
    const names = tree.names(root, '');
    const isEmpty = names === null || names.forms.next().done === true;
    names?.close();
    if (isEmpty) tree.notifyUnmounted(root);
    return isEmpty;
  }

  /** Checks the pages of roots that are no longer watched. */
  async #formerRoots(): Promise<void> {
    const { memory, view, checker } = this.#parts;
    for (const scan = memory.scan(''); scan.form !== null; ) {
      const root = rootOf(scan.form);
      // Pages rendered by programs sort after all roots.
      if (Number.isNaN(root)) return;
      if (hasRoot(view, root)) {
        const behind = behindFolder(`${root}/`);
        scan.seek(behind);
        continue;
      }
      await this.#passFile();
      await checker.check(scan.form);
      scan.next();
    }
  }
}

function rootsInOrder(view: SiteView): number[] {
  const numbers = [...view.roots.keys()].filter((root) => hasRoot(view, root));
  return numbers.sort((a, b) => (`${a}/` < `${b}/` ? -1 : 1));
}
