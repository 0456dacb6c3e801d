/**
 * How far the changes have been delivered to a listener, kept in the store. What always holds: `arrived`
 * moves only past a batch that arrived, so a crash repeats a batch and never skips one. `until` is the
 * end of the batch in progress, noted before the batch is sent: after a crash the same changes are sent
 * again under the same id, without newer ones.
 */
import { hash, randomUUID } from 'node:crypto';
import type { ChangeKind, Store } from '../../store/contract.ts';
import type { CopyIdentity, Listener } from './listener.ts';
import type { ChangeSource } from './read-batch.ts';

type Notes = Pick<Store, 'note' | 'setNote'>;

export class Cursor {
  readonly #store: Notes;
  readonly #name: string;
  #arrived: number;
  #until: number;

  private constructor(store: Notes, name: string, arrived: number, until: number) {
    this.#store = store;
    this.#name = name;
    this.#arrived = arrived;
    this.#until = until;
  }

  /** A new listener starts now; it does not receive earlier changes. */
  static async open(store: ChangeSource, listener: string): Promise<Cursor> {
    const name = `delivered/${listener}`;
    const noted = await store.note(name);
    const last = await store.lastChange();
    const [arrived, until] = noted === null ? [last, 0] : readNote(noted);
    // A copy restored from a backup assigns numbers again. A cursor ahead of the copy would skip these changes.
    const cursor = new Cursor(store, name, Math.min(arrived, last), until <= last ? until : 0);
    if (noted === null) await cursor.#save();
    return cursor;
  }

  get arrived(): number {
    return this.#arrived;
  }

  /** 0 if no batch is in progress. */
  get until(): number {
    return this.#until;
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

  #save(): Promise<void> {
    return this.#store.setNote(this.#name, JSON.stringify({ arrived: this.#arrived, until: this.#until }));
  }
}

/** An unreadable note delivers everything again rather than nothing. */
function readNote(noted: string): readonly [number, number] {
  try {
    const { arrived, until } = JSON.parse(noted) as Record<string, unknown>;
    return [seqOf(arrived), seqOf(until)];
  } catch {
    return [0, 0];
  }
}

function seqOf(value: unknown): number {
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
