/**
 * What every engine of the store has to keep: one test or more for each promise of src/store/contract.ts. An engine runs it
 * over folders, or databases, of its own; `open` is called again on the same folder where a test starts the crawl anew.
 */
import { describe } from 'node:test';
import { changesContract } from './contract/changes.ts';
import { commitContract } from './contract/commits.ts';
import { countsContract } from './contract/counts.ts';
import { damageContract } from './contract/damage.ts';
import { duplicatesContract } from './contract/duplicates.ts';
import { graphContract } from './contract/graph.ts';
import { handingOnContract } from './contract/handing-on.ts';
import { leasesContract } from './contract/leases.ts';
import { movingUpContract } from './contract/moving-up.ts';
import { nearDuplicatesContract } from './contract/near-duplicates.ts';
import { orphansContract } from './contract/orphans.ts';
import { parametersContract } from './contract/parameters.ts';
import { randomLessonsContract } from './contract/random-lessons.ts';
import { rankedListsContract } from './contract/ranked-lists.ts';
import { readingContract } from './contract/reading.ts';
import { retentionContract } from './contract/retention.ts';
import { seenContract } from './contract/seen.ts';
import { soundCopyContract } from './contract/sound-copy.ts';
import { sourcesContract } from './contract/sources.ts';
import { standInsContract } from './contract/stand-ins.ts';
import { visitsContract } from './contract/visits.ts';
import { waitingContract } from './contract/waiting.ts';
import { watchersContract } from './contract/watchers.ts';
import type { OpenStore } from './fresh-store.ts';

/** What engines may differ in. */
export interface StoreTraits {
  /** Why opening a store says nothing of who holds what; absent where it is the only one that is open, so that nobody does. */
  readonly sharedBecause?: string;
  /** Why the links of a batch that fails are known all the same; absent where nothing of it is. */
  readonly knownFirstBecause?: string;
  /** How many crawls at random are tried of each kind; fewer where each step of one is many trips to a server. */
  readonly seeds?: number;
  /** Tests that run at the same time; more than one where a test mostly waits for a server. Each has a store of its own. */
  readonly atOnce?: number;
}

const SEEDS = 4;

export function storeContract(name: string, open: OpenStore, traits: StoreTraits = {}): void {
  describe(`store contract: ${name}`, { concurrency: traits.atOnce ?? 1 }, () => {
    seenContract(open);
    leasesContract(open, traits);
    waitingContract(open);
    commitContract(open, traits);
    duplicatesContract(open);
    parametersContract(open);
    standInsContract(open);
    randomLessonsContract(open, traits.seeds ?? SEEDS);
    nearDuplicatesContract(open);
    readingContract(open);
    countsContract(open);
    graphContract(open, traits.seeds ?? SEEDS);
    rankedListsContract(open);
    movingUpContract(open);
    visitsContract(open);
    changesContract(open);
    handingOnContract(open);
    orphansContract(open);
    sourcesContract(open);
    watchersContract(open);
    retentionContract(open);
    damageContract(open);
    soundCopyContract(open, traits.seeds ?? SEEDS);
  });
}
