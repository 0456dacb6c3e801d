/**
 * Real pages for the proof of queries. In: documentation packages of Debian. Out: pages as the search index takes them,
 * with the texts of the links between them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { htmlFilesBelow, unpackPackage } from '../../bench/site/debian-package.ts';
import { resolveOptions } from '../../src/core/options/options.ts';
import { linksParsed } from '../../src/crawl/links/links-wanted.ts';
import { parsePage } from '../../src/page/page.ts';
import type { SearchPage } from '../../src/search/search-page.ts';
import { SeededRandom } from '../../testbed/random.ts';

const PACKAGES = [
  'cppreference-doc-en-html',
  'python3.11-doc',
  'postgresql-doc-15',
  'sqlite3-doc',
  'debian-handbook',
  'libboost1.74-doc',
  'openjdk-17-doc',
];
const DAY_MS = 86_400_000;
const MOST_LINKS = 300;

/** At most this many pages, chosen at random from all packages. */
export async function realPages(workFolder: string, most: number): Promise<SearchPage[]> {
  const files: { readonly url: string; readonly path: string }[] = [];
  for (const name of PACKAGES) {
    const folder = await unpackPackage(workFolder, name);
    const paths = await htmlFilesBelow(folder);
    files.push(...paths.map((path) => ({ url: `https://${name}.test/${encodeURI(path)}`, path: join(folder, path) })));
  }
  const random = new SeededRandom(1);
  const chosen: typeof files = [];
  while (chosen.length < most && files.length > 0) chosen.push(...files.splice(random.below(files.length), 1));
  const ids = new Map(chosen.map(({ url }, i) => [url, i + 1]));
  const options = { ...linksParsed(resolveOptions([])), wantText: true };
  return chosen.map(({ url, path }, i): SearchPage => {
    const { title, description, language, headings, links, text } = parsePage(
      readFileSync(path),
      'text/html',
      url,
      options,
    );
    const isHeading = new Set(headings.map((heading) => heading.text));
    const fetchedAtMs = random.below(1_000) * DAY_MS;
    return {
      urlId: i + 1,
      url,
      title,
      description,
      blocks: text.split('\n').map((line) => ({ text: line, role: isHeading.has(line) ? 'heading' : 'text' })),
      links: links.slice(0, MOST_LINKS).flatMap(({ href, text: anchor }) => {
        const targetId = ids.get(resolved(href, url));
        return targetId === undefined ? [] : { targetId, text: anchor };
      }),
      language: language.slice(0, 2),
      fileType: 'html',
      isNoindex: false,
      depth: path.split('/').length % 8,
      fetchedAtMs,
      changedAtMs: random.below(2) === 0 ? null : fetchedAtMs + DAY_MS,
      pageRank: random.below(100) / 10_000,
    };
  });
}

function resolved(href: string, base: string): string {
  const url = URL.parse(href, base);
  if (url === null) return '';
  url.hash = '';
  return url.href;
}
