import { keyOf } from '../memory/key-order.ts';
import type { FolderEvents } from './folder-events.ts';
import type { MoveDetector } from './move-detector.ts';
import { pathOf, rootOf } from './site-view.ts';
import { Sweep, type SweepParts } from './sweep.ts';

/** A folder with more files than this waits for the sweep. */
const MAX_FILES = 20_000;

/**
 * Handles the files named by a batch of events together, so that a deletion and a creation are recognised as a move.
 */
export class EventRound {
  readonly #parts: SweepParts;
  readonly #moves: MoveDetector;
  readonly #events: FolderEvents;

  constructor(parts: SweepParts, moves: MoveDetector, events: FolderEvents) {
    this.#parts = parts;
    this.#moves = moves;
    this.#events = events;
  }

  /** False if there were too many files. */
  async handle(forms: readonly string[]): Promise<boolean> {
    const { checker, ledger, tree, memory } = this.#parts;
    const heldBefore = new Set(this.#moves.heldForms);
    const countBefore = ledger.counts.new + ledger.counts.updated + ledger.counts.deleted;
    const gone: string[] = [];
    const files: string[] = [];
    const folders: string[] = [];
    const goneFolders: string[] = [];
    for (const form of forms) {
      const root = rootOf(form);
      const path = pathOf(keyOf(form));
      if (form.endsWith('/')) {
        folders.push(form);
        continue;
      }
      const isFolder = tree.isFolder(root, path);
      // The same name may have been a folder before.
      if (isFolder) folders.push(`${form}/`);
      else if (memory.scan(`${form}/`, 4_096).form?.startsWith(`${form}/`)) goneFolders.push(`${form}/`);
      if (isFolder || tree.fileAt(root, path) === 'absent') gone.push(form);
      else files.push(form);
    }
    let isDone = true;
    for (const form of gone) {
      await this.#pass();
      if (ledger.find(form) !== null) await checker.check(form);
    }
    for (const folder of goneFolders) isDone = (await this.#sweep(folder)) && isDone;
    for (const form of files) {
      await this.#pass();
      await checker.check(form);
    }
    for (const folder of folders) isDone = (await this.#sweep(folder)) && isDone;
    await checker.settle(this.#moves.heldForms.filter((form) => !heldBefore.has(form)));
    await ledger.flush();
    const count = ledger.counts.new + ledger.counts.updated + ledger.counts.deleted;
    if (count > countBefore) for (const form of forms) this.#prefer(form);
    return isDone;
  }

  /** A build writes thousands of files at once. They are checked at the same pace as the files of a sweep. */
  async #pass(): Promise<void> {
    const { ledger, onFile } = this.#parts;
    if (ledger.isFull) await ledger.flush();
    await onFile();
  }

  async #sweep(folder: string): Promise<boolean> {
    const { tree, view } = this.#parts;
    const root = rootOf(folder);
    const path = pathOf(keyOf(folder));
    const isThere = tree.isFolder(root, path.slice(0, -1));
    if (!isThere) this.#events.forget(folder);
    if (isThere && path !== '' && !(tree.isReachable(root, path) && view.isWalked(path.slice(0, -1)))) return true;
    return new Sweep(this.#parts).folder(root, folder, MAX_FILES);
  }

  #prefer(form: string): void {
    const folder = form.slice(0, form.lastIndexOf('/') + 1);
    const path = pathOf(keyOf(folder));
    this.#events.prefer(folder, this.#parts.tree.pathOn(rootOf(folder), path.slice(0, -1)));
  }
}
