/** What became of the records of imported files, for the summary. */
export interface ImportCounts {
  readonly files: number;
  /** Files that cannot be read, or only up to some point. */
  readonly badFiles: number;
  /** Answers that are in the archive now. */
  readonly answers: number;
  /** Answers that were there before. */
  readonly known: number;
  /** Records of other kinds, by kind. */
  readonly otherTypes: Readonly<Record<string, number>>;
  /** Answers that were left out, by why. */
  readonly leftOut: Readonly<Record<string, number>>;
  /**
   * Taken with a remark: the digest in the record is wrong, its date cannot be read, its length is not what it says.
   */
  readonly wrongDigests: number;
  readonly guessedDates: number;
  readonly wrongLengths: number;
  /** Stretches of bytes that are no record. */
  readonly damaged: number;
}

/** While they are counted. */
export type MutableCounts = {
  -readonly [K in keyof ImportCounts]: ImportCounts[K] extends number ? number : Record<string, number>;
};

export function noCounts(): MutableCounts {
  return {
    files: 0,
    badFiles: 0,
    answers: 0,
    known: 0,
    otherTypes: {},
    leftOut: {},
    wrongDigests: 0,
    guessedDates: 0,
    wrongLengths: 0,
    damaged: 0,
  };
}

export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
