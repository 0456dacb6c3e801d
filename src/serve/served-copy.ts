/** A copy that the interface shows. It can be passed to another thread. */
import type { CrawlPlace } from '../crawl/place/crawl-place.ts';

export interface ServedCopy {
  /** The name of the copy in addresses. */
  readonly id: string;
  /** The name of the copy for people. */
  readonly title: string;
  readonly place: CrawlPlace;
  /** The flags that name the crawl in another command. */
  readonly again: string;
}
