/**
 * Reads Dublin Core in HTML (DC-HTML). In: the named values of a page. Out: one item, or none.
 *
 * `DC.title`, `dc:title`, `DCTERMS.title` and `dcterms:title` are all `title`. A refinement is the property itself:
 * `DC.date.issued` is `issued`, as DCMI terms define it. Names that Dublin Core does not have are left out. Names
 * without a prefix (`<meta name="description">`) are no Dublin Core.
 */
import type { PageAddress } from '../page-address.ts';
import type { ReadingLimits } from '../reading-limits.ts';
import { addValue, draftItem, type StructuredItem } from '../structured-item.ts';
import type { MetaEntry } from './meta-entries.ts';

/** The properties of DCMI terms, which include the fifteen elements. */
const TERMS = new Map(
  (
    'abstract accessRights accrualMethod accrualPeriodicity accrualPolicy alternative audience available ' +
    'bibliographicCitation conformsTo contributor coverage created creator date dateAccepted dateCopyrighted ' +
    'dateSubmitted description educationLevel extent format hasFormat hasPart hasVersion identifier ' +
    'instructionalMethod isFormatOf isPartOf isReferencedBy isReplacedBy isRequiredBy issued isVersionOf language ' +
    'license mediator medium modified provenance publisher references relation replaces requires rights ' +
    'rightsHolder source spatial subject tableOfContents temporal title type valid'
  )
    .split(' ')
    .map((term) => [term.toLowerCase(), term]),
);
const PREFIX = /^(?:dc|dcterms|dct)[.:]/i;

export function readDublinCore(
  entries: readonly MetaEntry[],
  address: PageAddress,
  limits: ReadingLimits,
): StructuredItem[] {
  const item = draftItem('dublin-core');
  let isEmpty = true;
  for (const { name, value, isLink } of entries) {
    if (!PREFIX.test(name)) continue;
    const property = termOf(name);
    if (property === undefined) continue;
    if (!limits.takeValue()) break;
    isEmpty = false;
    addValue(item, property, isLink ? address.resolve(value) : value);
    if (property === 'type' && value !== '') item.types.push(value);
  }
  return isEmpty ? [] : [item];
}

/** The last part of the name that is a term: `DC.Creator.Address` is about the address, which is no term. */
function termOf(name: string): string | undefined {
  const parts = name.toLowerCase().split(/[.:]/);
  return TERMS.get(parts.at(-1) as string);
}
