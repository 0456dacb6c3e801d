/** A report as it is kept: the lines gzipped, without the head, which every answer has anew. */
import { once } from 'node:events';
import { createGzip } from 'node:zlib';
import type { ReportDraft } from './draft-report.ts';
import { endLine } from './report-lines.ts';

export interface PackedReport extends Omit<ReportDraft, 'lines'> {
  /** Entries and end. */
  readonly gzipped: Buffer;
}

const BATCH_CHARACTERS = 32_768;

export async function packReport({ lines, ...draft }: ReportDraft): Promise<PackedReport> {
  const gzip = createGzip();
  const parts: Buffer[] = [];
  gzip.on('data', (part: Buffer) => parts.push(part));
  const done = once(gzip, 'end');
  let batch = '';
  for (const { line } of lines) {
    batch += line;
    if (batch.length < BATCH_CHARACTERS) continue;
    if (!gzip.write(batch)) await once(gzip, 'drain');
    batch = '';
  }
  gzip.end(batch + endLine(lines.length));
  await done;
  return { ...draft, gzipped: Buffer.concat(parts) };
}
