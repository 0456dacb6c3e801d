/**
 * The sites, and the elements that are their template. Somebody looked at pages of each site and wrote these selectors
 * by hand. The innermost element decides, and `template` before `neither`.
 */
export interface TemplateSite {
  readonly name: string;
  /** The package of Debian. */
  readonly package: string;
  /** The folder of the site in the package. */
  readonly folder: string;
  readonly template: readonly string[];
  /** Counts neither way: tables of contents of a single page, which are links, but belong to one page only. */
  readonly neither: readonly string[];
  /** How many random pages are read, if not the usual number. */
  readonly pages?: number;
  /** No threshold was chosen on this site. */
  readonly isHeldBack?: true;
}

export const TEMPLATE_SITES: readonly TemplateSite[] = [
  {
    name: 'Qt',
    package: 'qtbase5-doc-html',
    folder: 'usr/share/qt5/doc',
    template: ['.navigationbar', '.footer', '.naviNextPrevious'],
    neither: ['.toc'],
  },
  {
    name: 'Apache',
    package: 'apache2-doc',
    folder: 'usr/share/doc/apache2-doc/manual',
    template: ['#page-header', '#path', '.up', '.toplang', '.bottomlang', '#footer'],
    neither: ['#quickview'],
  },
  {
    name: 'OpenJDK',
    package: 'openjdk-17-doc',
    folder: 'usr/share/doc/openjdk-17-jre-headless/api',
    template: [],
    neither: [],
  },
  {
    name: 'Debian handbook',
    package: 'debian-handbook',
    folder: 'usr/share/doc/debian-handbook/html',
    template: ['#banner', 'p#title', '.docnav'],
    neither: ['.toc'],
  },
  {
    name: 'SQLite',
    package: 'sqlite3-doc',
    folder: 'usr/share/doc/sqlite3',
    template: [
      '.tagline',
      '.menu',
      '.searchmenu',
      'h2:starts(SQLite C Interface)',
      'p:starts(See also lists of)',
      'p:starts(A complete list of SQLite releases)',
      'p:starts(This page last modified on)',
    ],
    neither: ['.fancy_toc'],
  },
  {
    name: 'LilyPond',
    package: 'lilypond-doc-html',
    folder: 'usr/share/doc/lilypond/html',
    template: ['#tocframe', '.nav_table', '#footer'],
    neither: [],
  },
  {
    name: 'PostgreSQL',
    package: 'postgresql-doc-15',
    folder: 'usr/share/doc/postgresql-doc-15/html',
    template: ['.navheader', '.navfooter'],
    neither: ['.toc'],
  },
  {
    name: 'Python',
    package: 'python3.11-doc',
    folder: 'usr/share/doc/python3.11/html',
    template: ['.mobile-nav', '.related', '.sphinxsidebar', '.this-page-menu', '.footer'],
    neither: ['.sphinxsidebar ul', '.topic.contents'],
  },
  {
    name: 'Octave',
    package: 'octave-doc',
    folder: 'usr/share/doc/octave',
    template: ['.header'],
    neither: ['.contents', '.shortcontents'],
  },
  {
    name: 'pandas',
    package: 'python-pandas-doc',
    folder: 'usr/share/doc/python-pandas-doc/html',
    template: ['.prev-next-area', '.bd-sidebar', '.footer'],
    neither: ['.bd-toc'],
  },
  {
    name: 'cppreference',
    package: 'cppreference-doc-en-html',
    folder: 'usr/share/cppreference/doc/html',
    template: ['.t-navbar', '.printfooter', '#siteSub', '#contentSub', '#mw-normal-catlinks'],
    // The style sheet of the site hides these categories.
    neither: ['#toc', '.catlinks-allhidden', '#mw-hidden-catlinks'],
    pages: Number.POSITIVE_INFINITY,
  },
  {
    name: 'libstdc++',
    package: 'libstdc++-12-doc',
    folder: 'usr/share/doc/gcc-12-base/libstdc++',
    template: ['#top', '#side-nav', '.navpath', '.navheader', '.navfooter', '.footer'],
    neither: ['.header .summary', '.toc'],
    isHeldBack: true,
  },
  {
    name: 'Django',
    package: 'python-django-doc',
    folder: 'usr/share/doc/python-django-doc/html',
    template: ['#hd', '#sidebar', '#ft', '.this-page-menu'],
    neither: ['#sidebar ul', '.topic.contents'],
    isHeldBack: true,
  },
  {
    name: 'Maxima',
    package: 'maxima-doc',
    folder: 'usr/share/doc/maxima-doc/html',
    template: ['.header'],
    neither: ['.contents', '.shortcontents'],
    isHeldBack: true,
  },
];
