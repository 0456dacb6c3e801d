/** How often those who tell of changes were right. */
import type { SourceRecord } from '../store/contract.ts';
import { count } from './readable.ts';

/** `of 40 looks at pages they were silent about 1 found a change, of 12 at pages they named 11 did`. */
export function evidenceText(
  { confirmed, falseAlarms, missed, quiet }: Omit<SourceRecord, 'hostId' | 'host'>,
  theyWere = 'they were',
  they = 'they',
): string {
  const silent = `of ${count(missed + quiet)} looks at pages ${theyWere} silent about ${count(missed)} found a change`;
  return `${silent}, of ${count(confirmed + falseAlarms)} at pages ${they} named ${count(confirmed)} did`;
}
