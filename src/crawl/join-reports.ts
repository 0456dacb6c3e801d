import type { CommitBatch } from '../store/contract.ts';
import type { UnitReport } from './messages.ts';

/** What several units have reported, as one: results in the order of the reports, and how far each archive file reaches. */
export function joinReports(
  reports: readonly UnitReport[],
): Pick<CommitBatch, 'results' | 'hosts' | 'found' | 'archive'> {
  const archive = new Map<string, number>();
  for (const report of reports) {
    for (const [file, bytes] of report.archive) archive.set(file, Math.max(bytes, archive.get(file) ?? 0));
  }
  return {
    results: reports.flatMap(({ results }) => results),
    hosts: reports.flatMap(({ hosts }) => hosts),
    found: reports.flatMap(({ found }) => found),
    archive,
  };
}
