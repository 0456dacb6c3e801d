/** The form of one proof: an exhaustive run that is too long for `npm test`. `proofs.ts` lists all of them. */

export interface ProofContext {
  /** An empty folder for this proof. It is removed after a success and kept after a failure. */
  readonly workFolder: string;
  /** Prints one line of progress on stderr. */
  readonly report: (line: string) => void;
  /** Extra words of the command line, for a shorter run or a single case. A run with words stores no results. */
  readonly words: readonly string[];
}

/** One row of the result: a property, the bound that it must meet, and the measured value. */
export interface ProofRow {
  readonly what: string;
  readonly target: string;
  readonly measured: string;
  readonly holds: boolean;
}

export interface ProofResult {
  readonly rows: readonly ProofRow[];
  /** Facts that a reader needs to judge the rows: sizes, seeds, versions of tools. */
  readonly notes: readonly string[];
  /** Details for programs: stored in the JSON file only. */
  readonly details?: unknown;
}

export interface Proof {
  /** One sentence that says what the proof shows. */
  readonly claim: string;
  /** What the proof needs and this machine does not have; null if it can run. Absent: it needs nothing. */
  lacks?(): Promise<string | null>;
  run(context: ProofContext): Promise<ProofResult>;
}
