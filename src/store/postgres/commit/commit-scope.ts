/** A commit under way: what those who write its parts share. It is made anew each time a commit is tried. */
import type { CommitBatch, FoundUrl } from '../contract.ts';
import type { ChangeLog } from './change-log.ts';
import type { ChangeSources } from './change-sources.ts';
import type { Crossing } from './crossing.ts';
import type { GraphWriter } from './graph-writer.ts';
import type { HeldHosts } from './held-hosts.ts';
import type { PageJudge } from './judge-page.ts';
import type { ParameterLearner } from './parameters.ts';
import type { Visits } from './visits.ts';
import type { WorkingSet } from './working-set.ts';
import type { PageWriter } from './write-page.ts';

export interface CommitScope {
  readonly set: WorkingSet;
  readonly batch: CommitBatch;
  /** The ids of all URLs that the batch names: links, redirects, canonical URLs, stand-ins. */
  readonly ids: ReadonlyMap<FoundUrl, number>;
  /** The number of the segments that this commit writes. */
  readonly graphSeq: number;
  /** As the receipt tells them. */
  readonly redirectIds: Map<number, number>;
  /** Hosts that are leased to the sender. */
  readonly leased: HeldHosts;
  readonly crossing: Crossing;
}

export interface CommitParts {
  readonly graph: GraphWriter;
  readonly parameters: ParameterLearner;
  readonly judge: PageJudge;
  readonly pages: PageWriter;
  readonly visits: Visits;
  readonly sources: ChangeSources;
  readonly changes: ChangeLog;
}
