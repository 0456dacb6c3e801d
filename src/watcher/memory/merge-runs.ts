import type { RunCursor, RunFile, RunRecord, RunWriter } from './run-file.ts';

const LINES_A_BREATH = 2_000;

/**
 * Writes the newest line of each form; the newest run comes first. Deleted pages are left out
 * if no older run can still contain them.
 */
export async function mergeRuns(
  runs: readonly RunFile[],
  writer: RunWriter,
  isOldest: boolean,
  breathe: () => Promise<void>,
): Promise<RunRecord> {
  try {
    const cursors = runs.map((run) => run.cursor(''));
    let lines = 0;
    for (;;) {
      const newest = least(cursors);
      if (newest === null) break;
      const { form, reader } = newest;
      if (!isOldest || !newest.isGone) writer.copy(reader.bytes, reader.start, reader.end);
      for (const cursor of cursors) if (cursor.form === form) cursor.next();
      if (++lines % LINES_A_BREATH === 0) await breathe();
    }
    return await writer.finish();
  } catch (error) {
    writer.abandon();
    throw error;
  }
}

/** The first cursor that stands on the smallest form; null when all cursors are at their end. */
export function least(cursors: readonly RunCursor[]): RunCursor | null {
  let found: RunCursor | null = null;
  for (const cursor of cursors) {
    if (cursor.form !== null && (found === null || cursor.form < found.form!)) found = cursor;
  }
  return found;
}
