/**
 * Files that a web server would not serve, or would run instead of serving. They are never reported, whatever the
 * options say: a report is public, so the name of such a file would reveal private information. Names and extensions
 * are in lower case and compared without regard to case, because `Config.INI` is as private.
 *
 * Files that are served but are not pages are in site-rules.ts.
 */

/** Names that are separated by spaces, by the reason why they are never reported. */
type ReasonTable = Readonly<Record<string, readonly string[]>>;

/** By extension, after the last dot. */
const EXTENSIONS: ReasonTable = {
  // The content is the output of the program, not the file, so the hash of the file would be wrong. Server-side
  // includes (.shtml) are run as well.
  run: [
    'php php3 php4 php5 php7 php8 phps phtml phar pht inc asp aspx ascx ashx asmx asax cshtml vbhtml razor jsp jspx jspf',
    'jhtml do action cgi fcgi pl pm py pyc pyo pyw wsgi rb erb rhtml rake lua tcl cfm cfml cfc shtml shtm stm ssi',
    'exe dll so dylib com bat cmd ps1 psm1 sh bash zsh ksh csh fish msi jar war ear class',
  ],
  // Sources of pages.
  source: [
    'ts tsx mts cts jsx vue svelte astro coffee elm scss sass less styl stylus map go rs c h cc cpp cxx hpp cs fs vb',
    'java kt kts scala groovy swift m mm d nim zig ex exs erl hrl hs lhs ml mli clj cljs dart r jl f90 asm',
    'ejs hbs handlebars mustache pug jade haml slim njk nunjucks liquid twig tpl tmpl blade j2 jinja jinja2 ftl vm',
    'proto graphql gql thrift wat ipynb psd xcf sketch fig',
  ],
  // Settings of programs.
  configuration: [
    'env ini conf config cfg cnf yml yaml toml properties plist rc reg lock tf tfvars tfstate',
    'htaccess htpasswd htgroup htdigest editorconfig gitignore gitattributes npmrc dockerignore service',
    'sln csproj vbproj vcxproj iml project classpath gradle cmake mk mak am ac',
  ],
  // Keys and passwords.
  secret: [
    'key pem crt cer csr der p12 pfx p7b p7c jks keystore kdb kdbx ppk gpg pgp asc ovpn secret token passwd shadow',
  ],
  // Data behind pages.
  data: [
    'sql sqlite sqlite3 sqlitedb db db3 mdb accdb dbf frm ibd myd myi ldf mdf rdb aof dump bson pcap pid sock',
    'sqlite-wal sqlite-shm sqlite-journal db-wal db-shm db-journal log log1 err out trace core',
  ],
  // Files that editors, copies and merges leave behind.
  leftover: [
    'bak bak1 bak2 bkp bkup backup old older orig save saved sav copy swp swo swn swap rej diff patch prev dist',
    'disabled off deleted removed ds_store lnk url desktop',
  ],
  // Unfinished uploads and downloads.
  unfinished: [
    'tmp temp part partial filepart crdownload download downloading upload uploading incomplete unfinished aria2',
    'lftp lftp-pget-status st ut bc ytdl opdownload writing new',
  ],
  // Copies of a whole site or its data. Archives that are offered for download are not pages either.
  archive: [
    'zip tar gz tgz bz2 tbz tbz2 xz txz zst 7z rar lz lzma lz4 z cab cpio iso img dmg vmdk vdi qcow2 deb rpm apk',
  ],
};

/** Files, by their whole name. */
const NAMES: ReasonTable = {
  configuration: [
    'package.json package-lock.json npm-shrinkwrap.json composer.json bower.json tsconfig.json jsconfig.json',
    'deno.json nest-cli.json angular.json vercel.json netlify.toml firebase.json now.json lerna.json nx.json',
    'turbo.json biome.json renovate.json babel.config.json appsettings.json web.config app.config web.xml',
    'pom.xml build.xml ivy.xml phpunit.xml phpcs.xml psalm.xml nbproject.xml requirements.txt constraints.txt',
    'cmakelists.txt runtime.txt credentials.json secrets.json service-account.json auth.json config.json',
  ],
  source: [
    'makefile gnumakefile dockerfile containerfile vagrantfile jenkinsfile procfile rakefile gemfile podfile',
    'gruntfile.js gulpfile.js webpack.config.js rollup.config.js vite.config.js postcss.config.js babel.config.js',
    'tailwind.config.js eslint.config.js prettier.config.js jest.config.js next.config.js nuxt.config.js',
  ],
  leftover: ['thumbs.db ehthumbs.db desktop.ini icon\r nohup.out error_log access_log'],
};

/** Folders, by their name at any depth. Nothing inside is read. */
const FOLDERS: ReasonTable = {
  source: [
    'node_modules bower_components jspm_packages __pycache__ __macosx cgi-bin web-inf meta-inf app_data app_code',
  ],
  leftover: ['cvs _darcs $recycle.bin lost+found @eadir #recycle #snapshot'],
};
// `vendor`, `bin`, `src`, `test`, `backup` and `private` are not listed, because sites have pages in folders with these
// names. Use --exclude for them.

const NEVER_EXTENSIONS = tableOf(EXTENSIONS);
const NEVER_NAMES = tableOf(NAMES);
const NEVER_FOLDERS = tableOf(FOLDERS);

/** Why files with this extension (without its dot) are never reported; null if they may be. */
export function whyNeverExtension(extension: string): string | null {
  return NEVER_EXTENSIONS.get(extension.toLowerCase()) ?? null;
}

/** Why a file with this name is never reported; null if it may be. */
export function whyNeverFile(name: string): string | null {
  if (name === '' || name.startsWith('.')) return 'hidden';
  const lower = name.toLowerCase();
  if (isLeftover(lower)) return 'leftover';
  const dot = lower.lastIndexOf('.');
  return NEVER_NAMES.get(lower) ?? (dot === -1 ? null : (NEVER_EXTENSIONS.get(lower.slice(dot + 1)) ?? null));
}

/**
 * Why a folder with this name is never entered; null if it is. `.well-known` is hidden
 * too, because its files are for programs.
 */
export function whyNeverFolder(name: string): string | null {
  if (name === '' || name.startsWith('.')) return 'hidden';
  return NEVER_FOLDERS.get(name.toLowerCase()) ?? null;
}

/** Marks of editors and file transfers: `a.html~`, `#a.html#`, `~$a.docx`, `a.html~tmp`, `a.html___jb_tmp___`. */
function isLeftover(lower: string): boolean {
  if (lower.endsWith('~') || lower.endsWith('~tmp') || lower.endsWith('___')) return true;
  return lower.startsWith('~$') || (lower.startsWith('#') && lower.endsWith('#'));
}

function tableOf(table: ReasonTable): ReadonlyMap<string, string> {
  const rows = Object.entries(table);
  return new Map(rows.flatMap(([why, lists]) => lists.flatMap((names) => names.split(' ')).map((name) => [name, why])));
}
