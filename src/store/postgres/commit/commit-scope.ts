/** The state that all parts of one running commit share. It is created again for each try of the commit. */
import type { ChangeKind, CommitBatch, FoundUrl } from '../../contract.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import type { ChangeSources } from '../changes/change-sources.ts';
import type { Visits } from '../changes/visits.ts';
import type { GuessAnswers } from '../discovery/guesses.ts';
import type { ResultAnswers } from '../discovery/pattern-answers.ts';
import type { GraphWriter } from '../graph/graph-writer.ts';
import type { ParameterLearner } from '../learning/parameters.ts';
import type { HeldHosts } from '../leases/held-hosts.ts';
import type { WorkingSet } from '../rows/working-set.ts';
import type { Canonicals } from './canonicals.ts';
import type { Crossing } from './commits-across-hosts.ts';
import type { Copies } from './copies.ts';
import type { PageJudge } from './judge-page.ts';
import type { PageWriter } from './write-page.ts';

export interface CommitScope {
  readonly set: WorkingSet;
  readonly batch: CommitBatch;
  /** The ids of all URLs that the batch names: links, redirects, canonical URLs, stand-ins. */
  readonly ids: ReadonlyMap<FoundUrl, number>;
  /** The number of the segments that this commit writes. */
  readonly graphSeq: number;
  /** Redirect targets by URL id, for the receipt. */
  readonly redirectIds: Map<number, number>;
  /** Visited pages whose change is logged under another kind than the finding, for the receipt. */
  readonly loggedAs: Map<number, ChangeKind>;
  /** Hosts that are leased to the sender. */
  readonly leased: HeldHosts;
  readonly crossing: Crossing;
}

export interface CommitParts {
  readonly graph: GraphWriter;
  readonly parameters: ParameterLearner;
  readonly judge: PageJudge;
  readonly copies: Copies;
  readonly canonicals: Canonicals;
  readonly pages: PageWriter;
  readonly visits: Visits;
  readonly sources: ChangeSources;
  readonly changes: ChangeLog;
  readonly guesses: GuessAnswers;
  readonly answers: ResultAnswers;
}
