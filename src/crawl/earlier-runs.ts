/**
 * Results of earlier runs that a run starts with: seeds, their redirect targets, and lessons about query parameters.
 */
import type { ParameterLesson, Store } from '../store/contract.ts';

/**
 * Seeds that the user did not type: a recovery used the first archived page
 * as a seed. They do not open private addresses.
 */
export const GUESSED_SEEDS_NOTE = 'guessed-seeds';
const SEEDS_NOTE = 'seeds';
const MOVED_SEEDS_NOTE = 'moved-seeds';
export const DEMO_NOTE = 'demo';
const REJUDGE_NOTE = 'rejudge';

type Notes = Pick<Store, 'note'>;

export interface FoundBefore {
  /** The redirect targets of seeds. */
  readonly movedSeeds: readonly string[];
  readonly lessons: readonly ParameterLesson[];
  /** Rules about URLs have changed, so URLs that wait since then are judged again before they are fetched. */
  readonly rejudges: boolean;
}

export async function foundBefore(store: Pick<Store, 'note' | 'lessons'>): Promise<FoundBefore> {
  const rejudges = Boolean(await store.note(REJUDGE_NOTE));
  return { movedSeeds: await movedSeeds(store), lessons: await lessonsInForce(store), rejudges };
}

export function lessonsInForce(store: Pick<Store, 'lessons'>): Promise<readonly ParameterLesson[]> {
  return store.lessons(['probed', 'ignored']);
}

export function seedsNoted(store: Notes): Promise<string[]> {
  return list(store, SEEDS_NOTE);
}

export async function noteSeeds(store: Pick<Store, 'setNote'>, seeds: readonly string[]): Promise<void> {
  await store.setNote(SEEDS_NOTE, JSON.stringify(seeds));
}

export async function typedSeeds(store: Notes): Promise<string[]> {
  const guessed = new Set(await list(store, GUESSED_SEEDS_NOTE));
  return (await seedsNoted(store)).filter((seed) => !guessed.has(seed));
}

export function movedSeeds(store: Notes): Promise<string[]> {
  return list(store, MOVED_SEEDS_NOTE);
}

export async function noteMovedSeed(store: Pick<Store, 'note' | 'setNote'>, url: string): Promise<void> {
  await store.setNote(MOVED_SEEDS_NOTE, JSON.stringify([...(await movedSeeds(store)), url]));
}

export async function noteRejudge(store: Pick<Store, 'setNote'>): Promise<void> {
  await store.setNote(REJUDGE_NOTE, 'yes');
}

/**
 * Called at the end of a run that is alone. If no URL waits, the URLs of later runs are found under the present rules.
 * But URLs that a lesson about a parameter leaves out wait again if the lesson is refuted.
 */
export async function forgetRejudge(store: Pick<Store, 'note' | 'setNote' | 'counts'>): Promise<void> {
  if (!(await store.note(REJUDGE_NOTE))) return;
  const { states, reasons } = await store.counts();
  if (states.waiting === 0 && !reasons['ignored-parameter']) await store.setNote(REJUDGE_NOTE, '');
}

/** Marks the crawl as a crawl of the demo web. */
export async function noteDemo(store: Pick<Store, 'setNote'>): Promise<void> {
  await store.setNote(DEMO_NOTE, 'yes');
}

/** The seeds of a crawl of the demo web, which has to be served again. Null for any other crawl. */
export async function demoSeeds(store: Notes): Promise<string[] | null> {
  return (await store.note(DEMO_NOTE)) === null ? null : seedsNoted(store);
}

async function list(store: Notes, note: string): Promise<string[]> {
  return JSON.parse((await store.note(note)) ?? '[]') as string[];
}
