/**
 * A store with nothing but changes, notes and positions, for tests of what is delivered when.
 * Tests of crash safety use the real store.
 */
import { setImmediate } from 'node:timers/promises';
import { UNCLASSIFIED } from '../../../src/core/page/change-class.ts';
import type { ChangeSource } from '../../../src/crawl/delivery/read-batch.ts';
import type {
  CaptureRecord,
  ChangeEntry,
  EditRange,
  FollowerHold,
  FollowerMove,
  FollowerRecord,
  LinkRecord,
  SharedEdit,
} from '../../../src/store/contract.ts';

export const AT_MS = Date.UTC(2026, 10, 15, 9, 30);

export function change(seq: number, facts: Partial<ChangeEntry> = {}): ChangeEntry {
  const url = `http://a.test/${seq}`;
  const atMs = AT_MS + seq * 1_000;
  const entry = { seq, id: seq, url, atMs, kind: 'changed', title: `Page ${seq}`, reason: null, change: null } as const;
  return { ...entry, ...UNCLASSIFIED, ...facts };
}

export class ChangeStore implements ChangeSource {
  readonly entries: ChangeEntry[] = [];
  readonly notes = new Map<string, string>();
  readonly owners = new Map<string, { readonly owner: string; readonly heldUntilMs: number }>();
  readonly captured: CaptureRecord[] = [];
  syncs = 0;

  add(...entries: readonly ChangeEntry[]): void {
    this.entries.push(...entries);
  }

  addMany(first: number, last: number, facts: Partial<ChangeEntry> = {}): void {
    for (let seq = first; seq <= last; seq++) this.add(change(seq, facts));
  }

  async changes(after: number, limit: number): Promise<readonly ChangeEntry[]> {
    return this.entries.filter(({ seq }) => seq > after).slice(0, limit);
  }

  async sharedEdits({ after, through, least, limit, among }: EditRange): Promise<readonly SharedEdit[]> {
    const inRange = this.entries.filter(({ seq, kind }) => kind === 'changed' && seq > after && seq <= through);
    const groups = Map.groupBy(inRange, ({ edit }) => edit);
    return [...groups]
      .filter(([edit, { length }]) => edit !== null && length >= least && (among?.includes(edit) ?? true))
      .slice(0, limit)
      .map(([edit, [first, ...others]]) => ({
        ...{ edit: edit!, pages: others.length + 1, firstSeq: first!.seq, level: first!.level, part: first!.part },
        examples: [first!, ...others].slice(0, 5).map(({ url }) => url),
      }));
  }

  async lastChange(): Promise<number> {
    return this.entries.at(-1)?.seq ?? 0;
  }

  async capturesOf(_host: string, _key: string, upToMs: number, limit: number): Promise<readonly CaptureRecord[]> {
    return this.captured.filter(({ fetchedAtMs }) => fetchedAtMs <= upToMs).slice(0, limit);
  }

  readonly links = new Map<number, readonly string[]>();

  async linksToEach(ids: readonly number[], limit: number): Promise<readonly (readonly LinkRecord[])[]> {
    const link = (url: string, id: number): LinkRecord => ({ id, url, state: 'fetched', title: '', attributes: 0 });
    return ids.map((id) => (this.links.get(id) ?? []).slice(0, limit).map(link));
  }

  async note(name: string): Promise<string | null> {
    return this.notes.get(name) ?? null;
  }

  async setNote(name: string, value: string): Promise<void> {
    this.notes.set(name, value);
  }

  /** The position is kept among the notes, under the name of the follower. */
  async holdFollower({ name, version, owner, nowMs, leaseMs }: FollowerHold): Promise<FollowerRecord | null> {
    const held = this.owners.get(name);
    if (held !== undefined && held.owner !== owner && held.heldUntilMs > nowMs) return null;
    this.owners.set(name, { owner, heldUntilMs: nowMs + leaseMs });
    return { name, version, position: this.notes.get(name) ?? null, owner, heldUntilMs: nowMs + leaseMs };
  }

  async moveFollower({ name, owner, position }: FollowerMove): Promise<boolean> {
    if (this.owners.get(name)?.owner !== owner) return false;
    this.notes.set(name, position!);
    return true;
  }

  async releaseFollower(name: string, owner: string): Promise<void> {
    if (this.owners.get(name)?.owner === owner) this.owners.delete(name);
  }

  async sync(): Promise<void> {
    this.syncs++;
  }
}

/** Runs the event loop until the condition is true; fails if it never becomes true. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  for (let turns = 0; turns < 20_000; turns++) {
    if (isSo()) return;
    await setImmediate();
  }
  throw new Error(`never: ${what}`);
}

/** Gives enough turns of the event loop to finish all work that needs no clock and no network. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await setImmediate();
}
