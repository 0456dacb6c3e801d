/**
 * The sites of the benchmark of search: documentation packages of Debian that have an index of their own. In: the
 * folder of a package. Out: which pages are served, and which are held back because they give the right answers away.
 */
export interface SearchSite {
  readonly name: string;
  /** The package of Debian. */
  readonly package: string;
  /** The folder of the site in the package. */
  readonly folder: string;
  /** The page at which the crawl begins. */
  readonly start: string;
  /** Each site has an address of its own, so it is a host of its own. */
  readonly address: string;
  /** Pages that the server does not give to the crawler: indexes and full tables of contents. */
  readonly heldBack: RegExp;
  /** The weights may be chosen on these sites. Figures are reported for the others. */
  readonly half: 'tuning' | 'test';
}

export const SEARCH_SITES: readonly SearchSite[] = [
  {
    name: 'Python',
    package: 'python3.11-doc',
    folder: 'usr/share/doc/python3.11/html',
    start: 'index.html',
    address: '127.0.0.11',
    heldBack: /^\/(?:genindex|contents\.html|py-modindex|_sources\/|_downloads\/|_static\/)/,
    half: 'tuning',
  },
  {
    name: 'PostgreSQL',
    package: 'postgresql-doc-15',
    folder: 'usr/share/doc/postgresql-doc-15/html',
    start: 'index.html',
    address: '127.0.0.12',
    heldBack: /^\/bookindex\.html/,
    half: 'test',
  },
  {
    name: 'SQLite',
    package: 'sqlite3-doc',
    folder: 'usr/share/doc/sqlite3',
    start: 'index.html',
    address: '127.0.0.13',
    heldBack: /^\/(?:keyword_index|sitemap|doc_\w+_crossref|doclist|c3ref\/\w+list)\.html/,
    half: 'tuning',
  },
  {
    name: 'cppreference',
    package: 'cppreference-doc-en-html',
    folder: 'usr/share/cppreference/doc/html',
    start: 'en/index.html',
    address: '127.0.0.14',
    heldBack: /\/(?:symbol_index|index\/)/,
    half: 'test',
  },
  {
    name: 'Debian handbook',
    package: 'debian-handbook',
    folder: 'usr/share/doc/debian-handbook/html/en-US',
    start: 'index.html',
    address: '127.0.0.15',
    heldBack: /^\/Common_Content\//,
    half: 'tuning',
  },
];
