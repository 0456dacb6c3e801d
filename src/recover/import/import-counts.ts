/** Counts of the records of imported files, for the summary. */
export function noCounts() {
  return {
    files: 0,
    /** Files that cannot be read, or only in part. */
    badFiles: 0,
    /** Responses that were added to the archive. */
    answers: 0,
    /** Responses that the archive already had. */
    known: 0,
    /** Records of other types, by type. */
    otherTypes: {} as Record<string, number>,
    /** Responses that were left out, by reason. */
    leftOut: {} as Record<string, number>,
    /** Responses that were imported with a defect: a wrong digest, an unreadable date or a wrong length. */
    wrongDigests: 0,
    guessedDates: 0,
    wrongLengths: 0,
    /** Byte ranges that are not records. */
    damaged: 0,
  };
}

export type MutableCounts = ReturnType<typeof noCounts>;
export type ImportCounts = Readonly<MutableCounts>;

export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
