/**
 * Reads all pages of a site as a crawl in random order does. In: the package of a site, and a seed for the order. Out:
 * the words of each page by the crawler's own page stage, and whether an earlier page has the same bytes.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PageWords } from '../../src/core/page/page-words.ts';
import { htmlFilesBelow, unpackPackage } from '../site/debian-package.ts';
import { SITE_HOST } from '../site/read-site.ts';
import { parseWords, shuffled } from '../template-sites/read-truth.ts';
import type { TemplateSite } from '../template-sites/sites.ts';

export interface OrderedPage {
  readonly path: string;
  readonly url: string;
  readonly words: PageWords;
  /** True if an earlier page has the same bytes, or if there are none. The store does not compare such a page. */
  readonly isRepeat: boolean;
}

export async function readPages(site: TemplateSite, workFolder: string, seed: number): Promise<OrderedPage[]> {
  const folder = join(await unpackPackage(workFolder, site.package), site.folder);
  const digests = new Set<string>();
  return shuffled(await htmlFilesBelow(folder), seed).map((path) => {
    const bytes = readFileSync(join(folder, path));
    const digest = hash('sha256', bytes);
    const isRepeat = bytes.length === 0 || digests.has(digest);
    digests.add(digest);
    const url = `${SITE_HOST}/${encodeURI(path)}`;
    return { path, url, words: parseWords(bytes, url), isRepeat };
  });
}
