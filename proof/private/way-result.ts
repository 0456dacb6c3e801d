/** The result of one way: without a flag, with a bare --allow-private, and with every target named. */
export interface Attempt {
  /** Accepted connections to addresses that are not public. */
  readonly connections: number;
  /** Targets that the attempt reached. */
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
  /** Null in a sample. */
  readonly bare: Attempt | null;
  readonly named: Attempt;
}
