/** The stream of changes, newest first, as JSON and as an Atom feed. */
import { hash } from 'node:crypto';
import { readDifference } from '../../../change/stored-difference.ts';
import { atomFeed } from '../../../crawl/delivery/atom-feed.ts';
import { copyIdentity } from '../../../crawl/delivery/cursor.ts';
import { describeChange } from '../../../crawl/delivery/delivered-change.ts';
import { seedsNoted } from '../../../crawl/earlier-runs.ts';
import type { ChangeEntry } from '../../../store/contract.ts';
import type { Change, ChangesAnswer } from '../../contract/changes.ts';
import type { Query } from '../../contract/routes.ts';
import type { Handlers } from '../answer-route.ts';
import type { OpenCopy } from '../open-copies.ts';
import { readSeen } from './seen-mark.ts';
import { iso } from './times.ts';

const CHANGES_SHOWN = 50;
const CHANGES_PER_READ = 500;
/** A filter that matches little reads this many changes, and then gives what it has. */
const MOST_READ = 20_000;
const DESCRIBE_WITHIN_MS = 150;
const LEAST_SHARED = 3;
const MOST_EDITS = 50;

export const handlers: Handlers = {
  listChanges: async ({ open, query }) => listChanges(open, query),
  getFeed: async ({ open, query }) => {
    const { entries } = await findChanges(open, query);
    const changes = [];
    for (const entry of entries) changes.push(await describeChange(open.store, entry));
    return atomFeed(await copyIdentity(readOnly(open.store), Date.now()), changes);
  },
};

/**
 * A copy whose changes were never delivered has no identity yet, and the interface only reads. So one is derived from
 * the seeds, which is the same for each request.
 */
function readOnly(store: OpenCopy['store']): Parameters<typeof copyIdentity>[0] {
  const derived = async (): Promise<string> => {
    const digits = hash('sha256', (await seedsNoted(store)).join('\n'), 'hex');
    const parts = [digits.slice(0, 8), digits.slice(8, 12), `8${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
    return `${[...parts, digits.slice(20, 32)].join('-')} 0`;
  };
  return { note: async (name) => (await store.note(name)) ?? derived(), setNote: async () => {} };
}

async function listChanges(open: OpenCopy, query: Query<'listChanges'>): Promise<ChangesAnswer> {
  const { entries, edits, next } = await findChanges(open, query);
  return {
    ...{ changes: entries.map(toChange), edits, next },
    newest: await open.store.lastChange(),
    seen: readSeen(open.copy.place.dir),
  };
}

interface FoundChanges extends Pick<ChangesAnswer, 'edits' | 'next'> {
  readonly entries: readonly ChangeEntry[];
}

async function findChanges(open: OpenCopy, query: Query<'listChanges'>): Promise<FoundChanges> {
  const { limit = CHANGES_SHOWN, edits: foldsEdits = true } = query;
  const isWanted = filterOf(query);
  const found: ChangeEntry[] = [];
  const shown = new Set<string>();
  const shared = await sharedEdits(open);
  let before = query.before ?? Number.MAX_SAFE_INTEGER;
  let read = 0;
  let next: number | null = null;
  scan: for (;;) {
    const some = await open.store.changesBefore(before, CHANGES_PER_READ);
    if (some.length === 0) break;
    for (const entry of some) {
      before = entry.seq;
      if (!isWanted(entry)) continue;
      const isFolded = foldsEdits && entry.edit !== null && shared.has(entry.edit);
      if (isFolded && shown.has(entry.edit!)) continue;
      if (isFolded) shown.add(entry.edit!);
      found.push(entry);
      if (found.length === limit) {
        next = before;
        break scan;
      }
    }
    read += some.length;
    if (read >= MOST_READ) {
      next = before;
      break;
    }
  }
  return { entries: await describe(open, found), edits: [...shown].map((edit) => shared.get(edit)!), next };
}

/**
 * Describes changes that nobody has described yet, as far as the time allows: comparing two versions of a large page
 * takes a while. The rest is described when it is asked for again, because descriptions are remembered.
 */
async function describe(open: OpenCopy, entries: readonly ChangeEntry[]): Promise<ChangeEntry[]> {
  const endsAtMs = performance.now() + DESCRIBE_WITHIN_MS;
  const described: ChangeEntry[] = [];
  for (const entry of entries) {
    described.push(performance.now() < endsAtMs ? await open.described(entry).catch(() => entry) : entry);
  }
  return described;
}

/** The edits that several pages share, of all changes. They change only with the newest change. */
async function sharedEdits(open: OpenCopy): Promise<ReadonlyMap<string, ChangesAnswer['edits'][number]>> {
  const through = await open.store.lastChange();
  return open.remember(`edits up to ${through}`, async () => {
    const edits = await open.store.sharedEdits({ after: 0, through, least: LEAST_SHARED, limit: MOST_EDITS });
    return new Map(
      edits.map(({ firstSeq: _, examples, ...edit }) => [edit.edit, { ...edit, examples: examples.slice(0, 10) }]),
    );
  });
}

function filterOf({ host, kind, level, words, least = 0 }: Query<'listChanges'>): (entry: ChangeEntry) => boolean {
  const wanted = (words ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return (entry) => {
    if (kind !== undefined && entry.kind !== kind) return false;
    if (level !== undefined && entry.level !== level) return false;
    if (host !== undefined && !isOfHost(entry.url, host)) return false;
    if (wanted.length > 0) {
      const text = `${entry.url} ${entry.title}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) return false;
    }
    if (least === 0) return true;
    const difference = entry.change === null ? null : readDifference(entry.change);
    return difference !== null && difference.wordsAdded + difference.wordsRemoved >= least;
  };
}

/** `host` is written with its scheme, as the API names hosts, or without. */
function isOfHost(url: string, host: string): boolean {
  const origin = url.slice(0, `${url}/`.indexOf('/', url.indexOf('//') + 2));
  return origin === host || origin.slice(origin.indexOf('//') + 2) === host;
}

export function toChange({ seq, atMs, url, title, kind, reason, level, part, edit, change }: ChangeEntry): Change {
  const difference = change === null ? null : readDifference(change);
  return {
    ...{ seq, url, title, kind, reason, level, part, edit },
    at: iso(atMs),
    kinds: difference?.kinds.slice(0, 20) ?? [],
    wordsAdded: difference?.wordsAdded ?? null,
    wordsRemoved: difference?.wordsRemoved ?? null,
    shared: difference?.shared ?? null,
  };
}
