/**
 * The contract of every store engine: at least one test for each promise of src/store/contract.ts. An engine runs it
 * over its own folders or databases. A test that restarts the crawl calls `open` again on the same folder.
 */
import { describe } from 'node:test';
import { budgetsContract } from './contract/budgets.ts';
import { canonicalsContract } from './contract/canonicals.ts';
import { changesContract } from './contract/changes.ts';
import { commitContract } from './contract/commits.ts';
import { handingOnContract } from './contract/copies/handing-on.ts';
import { copiesContract } from './contract/copies/noted-copies.ts';
import { countsContract } from './contract/counts.ts';
import { damageContract } from './contract/damage.ts';
import { duplicatesContract } from './contract/duplicates.ts';
import { editsContract } from './contract/edits.ts';
import { followersContract } from './contract/followers.ts';
import { graphContract } from './contract/graph.ts';
import { guessesContract } from './contract/guesses.ts';
import { leasesContract } from './contract/leases.ts';
import { randomLessonsContract } from './contract/model/random-lessons.ts';
import { soundCopyContract } from './contract/model/sound-copy.ts';
import { movingUpContract } from './contract/moving-up.ts';
import { nearDuplicatesContract } from './contract/near-duplicates.ts';
import { orphansContract } from './contract/orphans.ts';
import { overviewContract } from './contract/overview.ts';
import { contradictionsContract } from './contract/parameters/contradictions.ts';
import { parametersContract } from './contract/parameters/parameters.ts';
import { standInsContract } from './contract/parameters/stand-ins.ts';
import { rankedListsContract } from './contract/ranked-lists.ts';
import { readingContract } from './contract/reading.ts';
import { retentionContract } from './contract/retention.ts';
import { seenContract } from './contract/seen.ts';
import { soft404sContract } from './contract/soft-404s.ts';
import { sourcesContract } from './contract/sources.ts';
import { visitsContract } from './contract/visits.ts';
import { waitingContract } from './contract/waiting.ts';
import { watchersContract } from './contract/watchers.ts';
import type { OpenStore } from './fresh-store.ts';

/** The allowed differences between engines. */
export interface StoreTraits {
  /**
   * Why opening a store does not release the leases. Absent if only one process can open the store,
   * so that nobody holds a lease after opening.
   */
  readonly sharedBecause?: string;
  /** Why the links of a failed batch are known anyway. Absent if nothing of the batch is stored. */
  readonly knownFirstBecause?: string;
  /** How many random crawls of each kind are tried; fewer if each step needs many round trips to a server. */
  readonly seeds?: number;
  /**
   * Tests that run at the same time; more than one if a test mostly waits for a server. Each test has its own store.
   */
  readonly atOnce?: number;
}

const SEEDS = 4;

export function storeContract(name: string, open: OpenStore, traits: StoreTraits = {}): void {
  describe(`store contract: ${name}`, { concurrency: traits.atOnce ?? 1 }, () => {
    seenContract(open);
    budgetsContract(open);
    guessesContract(open);
    leasesContract(open, traits);
    waitingContract(open);
    commitContract(open, traits);
    duplicatesContract(open);
    canonicalsContract(open);
    soft404sContract(open);
    parametersContract(open);
    standInsContract(open);
    contradictionsContract(open, traits.seeds ?? SEEDS);
    randomLessonsContract(open, traits.seeds ?? SEEDS);
    nearDuplicatesContract(open);
    readingContract(open);
    overviewContract(open);
    copiesContract(open);
    countsContract(open);
    graphContract(open, traits.seeds ?? SEEDS);
    rankedListsContract(open);
    movingUpContract(open);
    visitsContract(open);
    changesContract(open);
    editsContract(open);
    followersContract(open, traits);
    handingOnContract(open);
    orphansContract(open);
    sourcesContract(open);
    watchersContract(open);
    retentionContract(open);
    damageContract(open);
    soundCopyContract(open, traits.seeds ?? SEEDS);
  });
}
