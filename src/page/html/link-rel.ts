/** The kind of a `<link>` or of an entry of the HTTP header Link, by its rel. Shared by pages and headers. */
import { essenceOf } from '../content-kind.ts';
import type { LinkKind } from '../reference-kinds.ts';

const FEED_TYPES = ['application/rss+xml', 'application/atom+xml', 'application/feed+json'];

/** If a rel has several words, the first row counts. */
const KINDS: readonly (readonly [kind: LinkKind, words: readonly string[]])[] = [
  ['canonical', ['canonical']],
  ['stylesheet', ['stylesheet']],
  ['icon', ['icon', 'apple-touch-icon', 'apple-touch-icon-precomposed', 'mask-icon', 'fluid-icon']],
  ['feed', ['feed']],
  ['alternate', ['alternate']],
  ['pagination', ['next', 'prev', 'previous']],
  ['sitemap', ['sitemap']],
  [
    'related',
    (
      'author help license copyright up parent index contents toc start begin first last end home top origin ' +
      'chapter section subsection appendix glossary bookmark archives tag amphtml shortlink prerender import ' +
      'privacy-policy terms-of-service describedby about me version-history latest-version predecessor-version ' +
      'successor-version collection item via'
    ).split(' '),
  ],
];

/** Hints that name a host, and no file of it. */
const HOST_HINTS = ['preconnect', 'dns-prefetch'];

/** Most links of a page have one of these words, so a look-up replaces a search for each word. */
const ROW_OF_WORD: ReadonlyMap<string, number> = new Map(
  KINDS.flatMap(([, words], row) => words.map((word) => [word, row] as const)),
);

/** `rel` is in lower case. Null if the link names no file. */
export function kindOfRel(rel: string, type: string): LinkKind | null {
  let row = ROW_OF_WORD.get(rel);
  if (row === undefined) {
    const words = rel.split(/[\s,]+/);
    for (const word of words) row = Math.min(row ?? KINDS.length, ROW_OF_WORD.get(word) ?? KINDS.length);
    if (row === undefined || row === KINDS.length)
      return words.some((word) => HOST_HINTS.includes(word)) ? null : 'link';
  }
  const kind = KINDS[row]![0];
  return kind === 'alternate' && FEED_TYPES.includes(essenceOf(type)) ? 'feed' : kind;
}
