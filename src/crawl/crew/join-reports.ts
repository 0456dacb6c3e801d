import { OrbweaverError } from '../../core/errors.ts';
import type { CommitBatch, UrlResult } from '../../store/contract.ts';
import type { SameVisits, UnitReport } from '../unit/messages.ts';
import { unfinished } from '../unit/unfinished.ts';

/**
 * Joins the reports of several units into one batch: the results in the order of the reports, then the
 * visits that found the same page, and the written length of each archive file. Throws if the capture
 * of a result is not within the written bytes of its own report.
 */
export function joinReports(
  reports: readonly UnitReport[],
): Pick<CommitBatch, 'results' | 'hosts' | 'found' | 'archive'> {
  const archive = new Map<string, number>();
  for (const report of reports) {
    requireWritten(report);
    for (const [file, bytes] of report.archive) archive.set(file, Math.max(bytes, archive.get(file) ?? 0));
  }
  return {
    results: [...reports.flatMap(({ results }) => results), ...reports.flatMap(({ same }) => resultsOf(same))],
    hosts: reports.flatMap(({ hosts }) => hosts),
    found: reports.flatMap(({ found }) => found),
    archive,
  };
}

/** A page without its bytes must never be committed, even after an error in a unit. */
function requireWritten({ results, archive }: UnitReport): void {
  for (const { url, capture } of results) {
    if (capture === null || capture.offset + capture.length <= (archive.get(capture.file) ?? 0)) continue;
    throw new OrbweaverError('ERR_INTERNAL', `${url} was reported, but its bytes are not in ${capture.file}`);
  }
}

/** The report on a URL that a dead unit would have sent. */
export function reportOf(result: UrlResult): UnitReport {
  const same = { ids: [], hostIds: [], sinceMs: [], checkedAtMs: [], receivedBytes: [] };
  const nothing = {
    hosts: [],
    archive: new Map(),
    found: [],
    movedSeeds: [],
    returned: [],
    wantsMore: [],
    answers: { count: 0, failures: 0 },
  };
  return { type: 'report', results: [result], same, ...nothing };
}

function resultsOf({ ids, hostIds, sinceMs, checkedAtMs, receivedBytes }: SameVisits): UrlResult[] {
  return ids.map((id, i) => ({
    ...unfinished(id, '', hostIds[i]!),
    revisit: { sinceMs: sinceMs[i]!, checkedAtMs: checkedAtMs[i]!, finding: 'same', change: null },
    receivedBytes: receivedBytes[i]!,
  }));
}
