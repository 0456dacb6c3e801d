/** Counts of the records of imported files, for the summary. */
export interface ImportCounts {
  readonly files: number;
  /** Files that cannot be read, or only in part. */
  readonly badFiles: number;
  /** Responses that were added to the archive. */
  readonly answers: number;
  /** Responses that the archive already had. */
  readonly known: number;
  /** Records of other types, by type. */
  readonly otherTypes: Readonly<Record<string, number>>;
  /** Responses that were left out, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Responses that were imported with a defect: a wrong digest, an unreadable date or a wrong length. */
  readonly wrongDigests: number;
  readonly guessedDates: number;
  readonly wrongLengths: number;
  /** Byte ranges that are not records. */
  readonly damaged: number;
}

/** The same counts during an import. */
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
