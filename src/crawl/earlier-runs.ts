/** What earlier runs on the folder have found out that a run has to begin with. */
import type { ParameterLesson, Store } from '../store/contract.ts';

/** Where seeds were found to redirect to, in earlier runs too. */
export async function movedSeeds(store: Store): Promise<string[]> {
  return JSON.parse((await store.note('moved-seeds')) ?? '[]') as string[];
}

export function lessonsInForce(store: Store): Promise<readonly ParameterLesson[]> {
  return store.lessons(['probed', 'ignored']);
}
