/** What every reader of structured data gets: the page, where its data is, and the limits that the readers share. */
import type { PageTree } from '../page-tree.ts';
import type { PageMarkup } from './find-markup.ts';
import type { PageAddress } from './page-address.ts';
import type { ReadingLimits } from './reading-limits.ts';

export interface MarkedPage {
  readonly tree: PageTree;
  readonly markup: PageMarkup;
  readonly address: PageAddress;
  readonly limits: ReadingLimits;
}
