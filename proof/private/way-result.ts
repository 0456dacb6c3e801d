/** What became of one way: without a flag, with a bare --allow-private, and with every target named. */
export interface Attempt {
  /** Connections that were accepted at an address that is not public. */
  readonly connections: number;
  /** Targets that were reached. */
  readonly reached: number;
  readonly reachedThatMustBeNamed: readonly string[];
  readonly missed: readonly string[];
  readonly exitCodes: readonly (number | null)[];
  readonly lastWords: string;
}

export interface WayResult {
  readonly way: string;
  readonly targets: number;
  readonly closed: Attempt;
  /** Not in a sample. */
  readonly bare: Attempt | null;
  readonly named: Attempt;
}
