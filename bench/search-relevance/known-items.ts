/**
 * Questions with known answers. In: the index pages of a documentation site, which its authors made by hand, and the
 * headings of its pages. Out: queries, each with the pages that the authors name for it.
 *
 * What always holds: nobody's taste decides. The index pages are not in the crawl, so a search engine cannot have read
 * which page an entry leads to. An entry that leads to more than three pages is left out, as is a heading that several
 * pages have. The draw is seeded.
 */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { SearchPage } from '../../src/search/search-page.ts';
import { randomBelow, seededRandom } from '../../testbed/random.ts';
import type { ServedSite } from './crawl-sites.ts';

export const KINDS = ['identifier', 'one word', 'words', 'question', 'heading'] as const;
export type Kind = (typeof KINDS)[number];

export interface KnownItem {
  readonly site: string;
  readonly kind: Kind;
  readonly query: string;
  /** Paths on the site. Each of them is right. */
  readonly answers: readonly string[];
}

interface Entry {
  readonly text: string;
  readonly path: string;
}

const MOST_ANSWERS = 3;
const QUESTIONS = ['what is *', 'how does * work', 'how to use *', 'where can I read about *'];

/** At most `most` queries of each kind. */
export function knownItems(served: ServedSite, pages: ReadonlyMap<string, SearchPage>, most: number): KnownItem[] {
  const { site, folder } = served;
  const items: KnownItem[] = [];
  const byKind = new Map<Kind, KnownItem[]>(KINDS.map((kind) => [kind, []]));
  const entries = READERS[site.name]?.(folder) ?? [];
  for (const [query, answers] of together(entries)) {
    if (answers.size > MOST_ANSWERS || [...answers].some((path) => !pages.has(path))) continue;
    const kind = kindOf(query);
    byKind.get(kind)!.push({ site: site.name, kind, query, answers: [...answers] });
  }
  const headings = [...pages].flatMap(([path, { blocks }]) =>
    blocks.filter(({ role }) => role === 'heading').map(({ text }) => ({ text: plainHeading(text), path })),
  );
  for (const [query, answers] of together(headings)) {
    const words = query.split(' ').length;
    if (answers.size > 1 || words < 3 || words > 7) continue;
    byKind.get('heading')!.push({ site: site.name, kind: 'heading', query, answers: [...answers] });
  }
  for (const [kind, found] of byKind) byKind.set(kind, shuffled(found, 1));
  // The questions ask for other entries than the queries in words do.
  const left = [...byKind.get('words')!.slice(most), ...byKind.get('one word')!.slice(most)];
  const asked = shuffled(left, 2).map((item, i): KnownItem => {
    const question = QUESTIONS[i % QUESTIONS.length]!;
    return { ...item, kind: 'question', query: question.replace('*', () => item.query) };
  });
  byKind.set('question', asked);
  for (const found of byKind.values()) items.push(...found.slice(0, most));
  return items;
}

/** The entries with the same text, in the order of the first. */
function together(entries: readonly Entry[]): Map<string, Set<string>> {
  const found = new Map<string, { readonly text: string; readonly paths: Set<string> }>();
  for (const { text, path } of entries) {
    if (!/^\p{L}.*\p{L}/u.test(text) || text.length > 60) continue;
    const key = text.toLowerCase();
    const known = found.get(key) ?? { text, paths: new Set<string>() };
    found.set(key, known);
    known.paths.add(path);
  }
  return new Map([...found.values()].map(({ text, paths }) => [text, paths]));
}

function shuffled<T>(items: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = randomBelow(random, i + 1);
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}

function kindOf(text: string): Kind {
  if (!text.includes(' ')) return /[_().:\d]|\p{Ll}\p{Lu}/u.test(text) ? 'identifier' : 'one word';
  return 'words';
}

function plainHeading(text: string): string {
  return text
    .replace(/^(?:Chapter |Appendix |Part )?[A-Z\d.]*[\d.]+\s+/, '')
    .replace(/[¶#]$/, '')
    .trim();
}

/** It belongs to the entry above it. */
const SUBENTRY = /^(?:in|of|by|for|and|to|as|with|from|on)\b/;

/** How the index pages of each site are read. */
const READERS: Readonly<Record<string, (folder: string) => Entry[]>> = {
  /** `active_children() (in module multiprocessing)` has the name as the fragment; other entries are in words. */
  Python: (folder) =>
    linksIn(folder, 'genindex-all.html', /<a href="([^"]*)">([^<]*)<\/a>/g).flatMap(({ path, fragment, text }) => {
      if (/^[\w.]+\.\w+$/.test(fragment) && !fragment.startsWith('index'))
        return [{ text: fragment.replace(/^c\./, ''), path }];
      return /^index-\d+$/.test(fragment) && /^[\p{L} ]+$/u.test(text) && !SUBENTRY.test(text) ? [{ text, path }] : [];
    }),
  PostgreSQL: (folder) =>
    linksIn(folder, 'bookindex.html', /<dt id="[^"]*">([^<]*)((?:, <a class="indexterm" href="[^"]*">[^<]*<\/a>)+)/g),
  SQLite: (folder) => linksIn(folder, 'keyword_index.html', /<li> <a href="([^"]*)">([^<]*)<\/a> <\/li>/g),
  cppreference: (folder) =>
    linksIn(folder, 'en/cpp/symbol_index.html', /<a href="([^"]*)" title="[^"]*"> *<code>([^<]*)<\/code><\/a>/g)
      .map(({ text, path }) => ({ text: `std::${text.replace(/[<>()]/g, '')}`, path }))
      .filter(({ text }) => !text.includes(' ')),
};

interface IndexLink extends Entry {
  readonly fragment: string;
}

/** The first group of the pattern is the link and the second its text, or the first is a text and the second its links. */
function linksIn(folder: string, file: string, pattern: RegExp): IndexLink[] {
  const html = readFileSync(join(folder, file), 'utf8');
  return [...html.matchAll(pattern)].flatMap(([, first = '', second = '']) => {
    if (!second.includes('<a ')) return [linkOf(file, first, second)];
    return [...second.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => linkOf(file, href, first));
  });
}

function linkOf(file: string, href: string, text: string): IndexLink {
  const [path = '', fragment = ''] = href.split('#', 2);
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
  return { path: posix.join('/', posix.dirname(file), path), fragment, text: plain };
}
