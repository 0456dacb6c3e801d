/**
 * The only place that decides what is a change. In: the form of a file that may have changed. Out: changes in the
 * ledger, and held pages in the move book. What always holds: the ledger is compared with the disk at that moment, one
 * file at a time, so it does not matter who asks, how often, or why; two files of one URL are never both its page.
 */
import type { Clock } from '../../core/clock.ts';
import { formOf, keyOf } from '../memory/key-order.ts';
import { isSameStamp } from '../memory/layer-scan.ts';
import type { Ledger } from '../memory/ledger.ts';
import type { NoticeBook } from '../memory/notices.ts';
import type { DynamicEvent, FileStamp, WatchedPage } from '../records.ts';
import type { MoveDetector } from './move-detector.ts';
import type { Content, ContentReader } from './read-content.ts';
import { type FilePlace, SameUrlFiles } from './same-url-files.ts';
import type { FoundFile, SiteTree } from './site-tree.ts';
import { hasRoot, pathOf, rootOf, type SiteView } from './site-view.ts';

/**
 * `path` is the path of the file below its root. `isCut` means that some events are missing
 * because reading the scripts took too long.
 */
export type Examine = (
  content: Buffer,
  url: string,
  path: string,
) => { readonly events: readonly DynamicEvent[]; readonly isCut?: boolean };

export interface CheckerParts {
  readonly view: SiteView;
  readonly tree: SiteTree;
  readonly ledger: Ledger;
  readonly moves: MoveDetector;
  readonly reader: ContentReader;
  readonly notices: NoticeBook;
  readonly clock: Clock;
  readonly examine: Examine;
}

const HTML = /\.(?:[xps]?html?|xht|php\d?|aspx?|jsp)$/i;
const NO_EVENTS: readonly DynamicEvent[] = [];

interface Place extends FilePlace {
  readonly url: string;
}

/** The content found at a place. */
interface Seen extends Omit<Content, 'whole'> {
  readonly events: readonly DynamicEvent[];
}

export class PageChecker {
  readonly #parts: CheckerParts;
  readonly #rivals: SameUrlFiles;

  constructor(parts: CheckerParts) {
    this.#parts = parts;
    this.#rivals = new SameUrlFiles(parts.view, parts.tree);
  }

  /**
   * `isReached` means that the walk has just reached the file, so its parent folders need no check. `was` is the
   * ledger's entry, if it is already known.
   */
  async check(form: string, isReached = false, was = this.#parts.ledger.find(form)): Promise<void> {
    const { view, tree } = this.#parts;
    const root = rootOf(form);
    const path = pathOf(keyOf(form));
    const isPossible = hasRoot(view, root) && (isReached || tree.isReachable(root, path));
    const url = isPossible ? view.urlOf(root, path) : null;
    if (url === null) {
      if (was !== null) await this.#gone(was);
      return;
    }
    const place: Place = { form, root, path, url };
    const file = tree.fileAt(root, path);
    if (file === 'unreadable') this.#notifyUnreadable(place);
    else if (file === 'absent') {
      if (was !== null) await this.#gone(was);
    } else if (this.shadowOf(root, path) !== null) {
      if (was !== null) await this.#shadowed(was, place);
    } else if (was === null) await this.#appeared(place, file);
    else await this.#stayed(was, place, file);
  }

  /** The page that a first sweep stores for a file; null if the file is not a page. */
  async firstSight(form: string, root: number, path: string): Promise<WatchedPage | null> {
    const url = this.#parts.view.urlOf(root, path);
    if (url === null) return null;
    const file = this.#parts.tree.fileAt(root, path);
    if (typeof file === 'string' || this.shadowOf(root, path) !== null) return null;
    const place = { form, root, path, url };
    const seen = await this.#see(place, file);
    return seen === null ? null : this.#newPage(place, seen);
  }

  /** The file that is served in place of this file. */
  shadowOf(root: number, path: string): string | null {
    for (const other of this.#parts.view.before(root, path)) {
      if (typeof this.#parts.tree.fileAt(root, other) !== 'string' && this.#parts.tree.isReachable(root, other))
        return other;
    }
    return null;
  }

  /** Stores held pages as deleted, unless they exist again. */
  async settle(forms: Iterable<string>): Promise<void> {
    const { moves, ledger, tree } = this.#parts;
    const isStill = new Map<number, boolean>();
    for (const form of forms) {
      if (!moves.isHeld(form)) continue;
      moves.release(form);
      const was = ledger.find(form);
      if (was === null) continue;
      const root = rootOf(form);
      if (!isStill.has(root)) isStill.set(root, !hasRoot(this.#parts.view, root) || tree.isStill(root));
      if (isStill.get(root) === false) continue;
      if (this.#isThere(form)) await this.check(form);
      else this.#noteDeleted(was, null);
    }
  }

  async #gone(was: WatchedPage): Promise<void> {
    const { moves, ledger } = this.#parts;
    const successor = this.#rivals.onDisk(was, (root, path) => this.shadowOf(root, path) === null);
    if (successor !== null) {
      const { form, root, path } = successor;
      const file = this.#parts.tree.fileAt(root, path);
      if (typeof file !== 'string') {
        await this.#takeOver(was, { form, root, path, url: was.url }, file);
        return;
      }
    }
    const come = moves.takeCome(was);
    const become = come === null ? null : ledger.find(formOf(come.key));
    if (become === null) {
      moves.hold(was);
      if (moves.overdue.length > 0) await this.settle(moves.overdue);
    } else if (become.url === was.url) await ledger.drop(was.key);
    else {
      this.#noteDeleted(was, become.url);
      // Once the new page is written, other parts have counted it. Changing it then
      // would make reports and counts differ.
      if (was.updates > 0 && ledger.isPending(formOf(become.key)))
        ledger.touch({ ...become, updates: become.updates + was.updates });
    }
  }

  async #shadowed(was: WatchedPage, place: Place): Promise<void> {
    const { view, tree, ledger } = this.#parts;
    const path = this.shadowOf(place.root, place.path);
    if (path === null) return;
    const form = `${place.root}/${formOf(path)}`;
    if (view.urlOf(place.root, path) !== was.url) return this.#noteDeleted(was, null);
    if (ledger.find(form) !== null) return ledger.drop(was.key);
    const file = tree.fileAt(place.root, path);
    if (typeof file !== 'string') await this.#takeOver(was, { ...place, form, path, url: was.url }, file);
  }

  /** The URL is now served from another file. */
  async #takeOver(was: WatchedPage, place: Place, file: FoundFile): Promise<void> {
    const { ledger, moves } = this.#parts;
    moves.release(formOf(was.key));
    if (ledger.find(place.form) !== null) return ledger.drop(was.key);
    const seen = await this.#see(place, file, was);
    if (seen === null) return;
    const key = keyOf(place.form);
    if (seen.hash === was.hash) {
      // Stored like a change, because a reader of a listing may have passed one place and not yet the other.
      const page = { ...was, key, stamp: seen.stamp, isFresh: seen.isFresh };
      const atMs = this.#parts.clock.now();
      return ledger.note({ kind: 'updated', atMs, page, was: was.hash, from: null, to: null, replaces: was.key });
    }
    this.#noteUpdated(was, { ...this.#newPage(place, seen), updates: was.updates + 1 }, was.key);
  }

  async #appeared(place: Place, file: FoundFile): Promise<void> {
    const { ledger, moves } = this.#parts;
    const owner = this.#rivals.inLedger(place, ledger);
    if (owner !== null) return this.#takeOver(owner, place, file);
    const same = moves.goneAs(file.stats);
    const seen = same === null ? await this.#see(place, file) : { ...same, stamp: stampOf(file) };
    if (seen === null) return;
    const page = this.#newPage(place, seen);
    const gone = moves.goneWith(seen.hash, seen.stamp);
    const old = gone === null ? null : ledger.find(formOf(gone.key));
    if (old !== null && !this.#isThere(formOf(old.key))) {
      moves.release(formOf(old.key));
      this.#noteDeleted(old, place.url);
      this.#noteNew({ ...page, updates: old.updates }, old.url);
      return;
    }
    this.#noteNew(page, null);
    moves.remember(page);
  }

  async #stayed(was: WatchedPage, place: Place, file: FoundFile): Promise<void> {
    const { ledger } = this.#parts;
    const isSame = !was.isFresh && isSameStamp(was.stamp, file.stats);
    if (isSame && was.url === place.url) return;
    const seen = await this.#see(place, file, was);
    if (seen === null) return;
    if (was.url !== place.url) {
      // The rules have changed: the same file is now another page.
      this.#noteDeleted(was, place.url);
      this.#noteNew({ ...this.#newPage(place, seen), updates: was.updates }, was.url);
    } else if (seen.hash === was.hash) ledger.touch({ ...was, stamp: seen.stamp, isFresh: seen.isFresh });
    else this.#noteUpdated(was, { ...this.#newPage(place, seen), updates: was.updates + 1 });
  }

  #noteNew(page: WatchedPage, from: string | null): void {
    this.#parts.ledger.note({ kind: 'new', atMs: page.changedAtMs, page, was: null, from, to: null });
  }

  #noteUpdated(was: WatchedPage, page: WatchedPage, replaces?: string): void {
    const change = { kind: 'updated', atMs: page.changedAtMs, page, was: was.hash, from: null, to: null } as const;
    this.#parts.ledger.note(replaces === undefined ? change : { ...change, replaces });
  }

  #noteDeleted(was: WatchedPage, to: string | null): void {
    const atMs = this.#parts.clock.now();
    this.#parts.ledger.note({ kind: 'deleted', atMs, page: was, was: was.hash, from: null, to });
  }

  #isThere(form: string): boolean {
    const { view, tree } = this.#parts;
    const root = rootOf(form);
    const path = pathOf(keyOf(form));
    if (!hasRoot(view, root) || !tree.isReachable(root, path) || view.urlOf(root, path) === null) return false;
    return tree.fileAt(root, path) !== 'absent' && this.shadowOf(root, path) === null;
  }

  #newPage({ form, url }: Place, { hash, stamp, isFresh, events }: Seen): WatchedPage {
    const changedAtMs = this.#parts.clock.now();
    return { key: keyOf(form), url, stamp, isFresh, hash, updates: 0, changedAtMs, seq: 0, events };
  }

  /** Null if the file is unreadable or gone again. The next check finds out. */
  async #see(place: Place, file: FoundFile, known?: WatchedPage): Promise<Seen | null> {
    const { reader, notices } = this.#parts;
    const isHtml = HTML.test(place.path) || place.path.lastIndexOf('.') <= place.path.lastIndexOf('/');
    const content: Content | string = await reader.read(file.path, isHtml);
    if (content === 'unreadable') this.#notifyUnreadable(place);
    if (typeof content === 'string') return null;
    notices.mended('file-unreadable', place.form);
    let events = NO_EVENTS;
    if (content.hash === known?.hash) events = known.events;
    else if (content.whole !== null) events = this.#eventsIn(content.whole, place);
    return { hash: content.hash, stamp: content.stamp, isFresh: content.isFresh, events };
  }

  #eventsIn(content: Buffer, { form, url, root, path }: Place): WatchedPage['events'] {
    const { examine, notices, tree } = this.#parts;
    const { events, isCut } = examine(content, url, path);
    if (isCut) {
      const message = `the scripts of ${tree.pathOn(root, path)} took too long; some events are not reported`;
      notices.notify('page-too-costly', form, message);
    } else notices.mended('page-too-costly', form);
    return events;
  }

  #notifyUnreadable({ form, root, path }: Place): void {
    const message = `cannot read ${this.#parts.tree.pathOn(root, path)}; its last known state stays in the report`;
    this.#parts.notices.notify('file-unreadable', form, message);
  }
}

function stampOf({ stats: { size, mtimeMs, ctimeMs, ino } }: FoundFile): FileStamp {
  return { size, mtimeMs, ctimeMs, ino };
}
