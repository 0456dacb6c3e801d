/**
 * How far the changes have been delivered to a listener: the position of a follower (followers/held-position.ts), so
 * one process at a time delivers to a listener. What always holds: `arrived` moves only past a batch that arrived, so a
 * crash repeats a batch and never skips one. `until` is the end of the batch in progress, noted before the batch is
 * sent: after a crash the same changes are sent again under the same id, without newer ones. The window is the range of
 * changes in which an edit of many pages is delivered once (edit-window.ts). A listener with digests also has the time
 * of the last one, so that the digests keep their rhythm over runs.
 */
import { hash, randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { HeldPosition } from '../../followers/held-position.ts';
import type { ChangeKind, Store } from '../../store/contract.ts';
import type { EditRangeOfLog } from './edit-window.ts';
import type { CopyIdentity, Listener } from './listener.ts';
import type { ChangeSource } from './read-batch.ts';

type Notes = Pick<Store, 'note' | 'setNote'>;

export class Cursor {
  readonly #store: ChangeSource;
  readonly #held: HeldPosition;
  readonly #digestsFromMs: number;
  #arrived = 0;
  #until = 0;
  #window: EditRangeOfLog = { after: 0, through: 0 };
  #digestAtMs = 0;

  private constructor(store: ChangeSource, held: HeldPosition, digestsFromMs: number) {
    this.#store = store;
    this.#held = held;
    this.#digestsFromMs = digestsFromMs;
  }

  /**
   * A new listener starts now; it does not receive earlier changes. The time until its first digest counts from
   * `digestsFromMs`, which is 0 without digests.
   */
  static async open(store: ChangeSource, listener: string, clock: Clock, digestsFromMs = 0): Promise<Cursor> {
    const held = new HeldPosition(store, { name: `delivered/${listener}`, version: 1 }, clock);
    const cursor = new Cursor(store, held, digestsFromMs);
    await cursor.hold();
    return cursor;
  }

  /** Returns false while another process delivers to the listener. */
  async hold(): Promise<boolean> {
    if (this.#held.isHeld) return true;
    if (!(await this.#held.hold())) return false;
    const noted = this.#held.position;
    const last = await this.#store.lastChange();
    const { arrived, until, digestAtMs, ...window } = noted === null ? { ...NOTHING, arrived: last } : readNote(noted);
    // A copy restored from a backup assigns numbers again. A cursor ahead of the copy would skip these changes.
    this.#arrived = Math.min(arrived, last);
    this.#until = until <= last ? until : 0;
    const isOpen = window.through > this.#arrived && window.through <= last;
    this.#window = isOpen ? window : { after: this.#arrived, through: Math.max(this.#arrived, this.#until) };
    const isFirstDigest = this.#digestsFromMs > 0 && digestAtMs === 0;
    this.#digestAtMs = isFirstDigest ? this.#digestsFromMs : digestAtMs;
    if (noted === null || isFirstDigest) await this.#save();
    return true;
  }

  /** False if another process delivers to the listener now. */
  get isHeld(): boolean {
    return this.#held.isHeld;
  }

  release(): Promise<void> {
    return this.#held.release();
  }

  get arrived(): number {
    return this.#arrived;
  }

  /** 0 if no batch is in progress. */
  get until(): number {
    return this.#until;
  }

  get window(): EditRangeOfLog {
    return this.#window;
  }

  /** Opens a window with the newest changes if the last one is done. Returns false if there is nothing to deliver. */
  async openWindow(): Promise<boolean> {
    if (this.#arrived < this.#window.through) return true;
    this.#window = { after: this.#arrived, through: await this.#store.lastChange() };
    return this.#arrived < this.#window.through;
  }

  /** Called before a batch is sent. */
  async begin(until: number): Promise<void> {
    if (until === this.#until) return;
    this.#until = until;
    await this.#save();
  }

  /** The batch arrived, or there was nothing to send up to this number. */
  async arrive(through: number): Promise<void> {
    if (through === this.#arrived && this.#until === 0) return;
    this.#arrived = through;
    this.#until = 0;
    await this.#save();
  }

  /** The time of the last digest; 0 before the first one. */
  get digestAtMs(): number {
    return this.#digestAtMs;
  }

  /** Everything up to now was delivered as a digest. */
  async endDigest(nowMs: number): Promise<void> {
    this.#digestAtMs = nowMs;
    await this.#save();
  }

  async #save(): Promise<void> {
    const [arrived, until, digestAtMs] = [this.#arrived, this.#until, this.#digestAtMs];
    const isOpen = arrived < this.#window.through;
    const note = {
      ...{ arrived, until },
      ...(digestAtMs === 0 ? {} : { digestAtMs }),
      ...(isOpen ? this.#window : {}),
    } satisfies Partial<CursorNote>;
    await this.#held.move(JSON.stringify(note));
  }
}

interface CursorNote extends EditRangeOfLog {
  readonly arrived: number;
  readonly until: number;
  readonly digestAtMs: number;
}

const NOTHING: CursorNote = { arrived: 0, until: 0, digestAtMs: 0, after: 0, through: 0 };

/** An unreadable note delivers everything again rather than nothing. */
function readNote(noted: string): CursorNote {
  try {
    const { arrived, until, digestAtMs, after, through } = JSON.parse(noted) as Record<string, unknown>;
    const window = { after: wholeOf(after), through: wholeOf(through) };
    return { arrived: wholeOf(arrived), until: wholeOf(until), digestAtMs: wholeOf(digestAtMs), ...window };
  } catch {
    return NOTHING;
  }
}

function wholeOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0;
}

const IDENTITY_NOTE = 'copy-identity';

/** Created once per copy, when its changes are delivered for the first time. */
export async function copyIdentity(store: Notes, nowMs: number): Promise<CopyIdentity> {
  const [uuid = '', since = ''] = ((await store.note(IDENTITY_NOTE)) ?? '').split(' ');
  if (/^[\da-f-]{36}$/.test(uuid) && /^\d{1,15}$/.test(since)) return { uuid, sinceMs: Number(since) };
  const identity = { uuid: randomUUID(), sinceMs: nowMs };
  await store.setNote(IDENTITY_NOTE, `${identity.uuid} ${identity.sinceMs}`);
  return identity;
}

/** Equal changes for the same listener have the same id in every run. Other batches never have it. */
export function batchId(copy: CopyIdentity, listener: Listener, after: number, through: number): string {
  const kinds: ChangeKind[] = [...listener.kinds].sort();
  const parts = [copy.uuid, listener.name, after, through, ...kinds];
  return `msg_${hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32)}`;
}
