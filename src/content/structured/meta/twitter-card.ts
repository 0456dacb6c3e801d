/** Reads Twitter cards. In: the named values of a page. Out: one item whose type is the card, or none. */
import type { ReadingLimits } from '../reading-limits.ts';
import { addValue, draftItem, type StructuredItem } from '../structured-item.ts';
import type { MetaEntry } from './meta-entries.ts';

export function readTwitterCard(entries: readonly MetaEntry[], limits: ReadingLimits): StructuredItem[] {
  const item = draftItem('twitter');
  let isEmpty = true;
  for (const { name, value, isLink } of entries) {
    const property = name.toLowerCase();
    if (isLink || !property.startsWith('twitter:')) continue;
    if (!limits.takeValue()) break;
    isEmpty = false;
    addValue(item, property, value);
    if (property === 'twitter:card' && value !== '') item.types.push(value);
  }
  return isEmpty ? [] : [item];
}
