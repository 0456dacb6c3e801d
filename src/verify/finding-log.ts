/**
 * Collects the findings of a check and saves them with its progress. In: findings, and captures that can be read again.
 * Out: counts, the file of findings, and with `repair` the marks of damaged captures in the store.
 *
 * What always holds: a saved position has all findings before it saved, too.
 */
import type { Clock } from '../core/clock.ts';
import type { CaptureFacts, DamageMark, Store } from '../store/contract.ts';
import type { Finding, Found } from './findings.ts';
import { isReadable, type PayloadStore, revisitsWithout } from './lost-payloads.ts';
import { saveState, type VerifyState } from './verify-state.ts';

const SAVE_EVERY_MS = 500;
/** Findings are written in batches of this size. */
const MAX_PENDING = 2_000;
const MAX_FIRST_FINDINGS = 1_000;
const MARKS_AT_ONCE = 5_000;
/** The note with known damaged records that are not captures. Such records cannot be marked in the store. */
const KNOWN_NOTE = 'verify-known';
const MAX_KNOWN_DAMAGES = 100_000;

export interface FindingLogSetup {
  readonly store: PayloadStore & Pick<Store, 'markDamaged' | 'note' | 'setNote'>;
  readonly dir: string;
  readonly clock: Clock;
  readonly repair: boolean;
}

export class FindingLog {
  readonly first: Finding[] = [];
  /** False if the folder is not writable. */
  isSaved = true;
  readonly #setup: FindingLogSetup;
  readonly #state: VerifyState;
  readonly #folderOf: (file: string) => string | null;
  #pending: Finding[] = [];
  #marks: DamageMark[] = [];
  #payloads: string[] = [];
  #known = new Set<string>();
  #isSaving = false;
  #savedAtMs: number;

  constructor(setup: FindingLogSetup, state: VerifyState, folderOf: (file: string) => string | null) {
    this.#setup = setup;
    this.#state = state;
    this.#folderOf = folderOf;
    this.#savedAtMs = setup.clock.now();
  }

  async open(): Promise<void> {
    const noted = JSON.parse((await this.#setup.store.note(KNOWN_NOTE)) ?? '[]') as string[];
    // Earlier versions also noted the text of the problem. No part before it contains a space.
    this.#known = new Set(noted.map((known) => known.split(' ', 3).join(' ')));
  }

  async add({ finding, damaged, payloads, marked }: Found): Promise<void> {
    const { counts } = this.#state;
    const key = [finding.kind, finding.file, finding.offset].join(' ');
    if (finding.captures > 0 ? marked === finding.captures : this.#known.has(key)) {
      counts.knownDamage++;
      return;
    }
    counts.findings[finding.kind]++;
    this.#pending.push(finding);
    if (this.first.length < MAX_FIRST_FINDINGS) this.first.push(finding);
    if (this.#setup.repair) {
      const problem = `${finding.kind}: ${finding.problem}`;
      for (const { id, timeMs } of damaged) this.#marks.push({ id, timeMs, problem });
      if (finding.captures === 0 && finding.file !== null) this.#known.add(key);
    }
    this.#payloads.push(...payloads);
    if (this.#pending.length >= MAX_PENDING && !this.#isSaving) await this.save();
  }

  /** A capture that is marked as damaged is intact. */
  async addRestored({ id, timeMs, capture }: CaptureFacts): Promise<void> {
    if (capture.revisit && !(await isReadable(this.#folderOf, capture, null))) return;
    this.#state.counts.restored++;
    if (this.#setup.repair) this.#marks.push({ id, timeMs, problem: null });
  }

  /** The store cannot be read, so it cannot be marked either. */
  dropMarks(): void {
    this.#marks = [];
  }

  get isSaveDue(): boolean {
    return this.#setup.clock.now() - this.#savedAtMs >= SAVE_EVERY_MS;
  }

  /** Handles everything pending first, so that the saved cursor never skips it. */
  async save(): Promise<void> {
    const { store, dir, clock, repair } = this.#setup;
    this.#isSaving = true;
    const payloads = this.#payloads;
    this.#payloads = [];
    if (payloads.length > 0) {
      for await (const found of revisitsWithout(store, this.#folderOf, payloads)) await this.add(found);
    }
    if (repair && this.#marks.length > 0) {
      // Revisits were found last, but they must be marked first: a page may have no other capture when it is judged.
      const marks = this.#marks.reverse();
      this.#marks = [];
      for (let from = 0; from < marks.length; from += MARKS_AT_ONCE) {
        const { marked, waiting } = await store.markDamaged(marks.slice(from, from + MARKS_AT_ONCE), clock.now());
        this.#state.counts.marked += marked;
        this.#state.counts.refetch += waiting;
      }
    }
    const findings = this.#pending;
    this.#pending = [];
    this.isSaved = saveState(dir, this.#state, findings, clock.now());
    this.#savedAtMs = clock.now();
    this.#isSaving = false;
  }

  /** Stores the known damages at the end of a repair. */
  async noteKnown(): Promise<void> {
    const { store, repair } = this.#setup;
    if (repair) await store.setNote(KNOWN_NOTE, JSON.stringify([...this.#known].slice(0, MAX_KNOWN_DAMAGES)));
  }
}
