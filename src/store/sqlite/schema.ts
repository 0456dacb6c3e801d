/**
 * The tables, as a list of migrations: the schema version is the number of migrations that ran (`PRAGMA user_version`).
 * A released migration is never edited; a change is a new migration at the end.
 *
 * The partner for PostgreSQL is store/postgres/schema.ts; all tests in test/store/contract run over both engines.
 */
import { DAMAGE_KEY } from '../records/record-rows.ts';

/**
 * The table of captures that the archive cannot return, as `verify --repair` found. PostgreSQL
 * has the same table in store/postgres/schema.ts.
 */
const DAMAGE_TABLES = `
  CREATE TABLE damaged_captures (
    url_id INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL,
    found_at INTEGER NOT NULL,
    problem TEXT NOT NULL,
    PRIMARY KEY (url_id, fetched_at)
  ) WITHOUT ROWID;
  CREATE TRIGGER captures_dropped AFTER DELETE ON captures
  BEGIN
    DELETE FROM damaged_captures WHERE url_id = OLD.url_id AND fetched_at = OLD.fetched_at;
  END;
`;

/** SQL condition on a capture as `c`: it is not marked as damaged. */
export const IS_UNDAMAGED = `NOT EXISTS (SELECT 1 FROM damaged_captures d WHERE ${DAMAGE_KEY})`;

/**
 * Tables that let retention work without reading all captures: URLs with several captures, payloads that other captures
 * refer to, and the needed part of each archive file. PostgreSQL has the same tables in store/postgres/schema.ts.
 */
const RETENTION_TABLES = `
  -- URLs with more than one capture. judge_from: 0 until retention has judged the URL. Afterwards: a rule that keeps
  -- the versions since this time, or since a later time, would drop captures.
  CREATE TABLE looked_again (url_id INTEGER PRIMARY KEY, judge_from INTEGER NOT NULL);
  INSERT INTO looked_again SELECT url_id, 0 FROM captures GROUP BY url_id HAVING count(*) > 1;
  CREATE TRIGGER captures_again BEFORE INSERT ON captures WHEN EXISTS (SELECT 1 FROM captures WHERE url_id = NEW.url_id)
  BEGIN
    INSERT INTO looked_again VALUES (NEW.url_id, 0) ON CONFLICT (url_id) DO UPDATE SET judge_from = 0;
  END;

  CREATE INDEX captures_revisits ON captures (payload_digest) WHERE revisit = 1;

  -- The new places of moved payloads. Revisit records still refer to their old places.
  CREATE TABLE moved_payloads (digest TEXT PRIMARY KEY, url_id INTEGER NOT NULL, fetched_at INTEGER NOT NULL) WITHOUT ROWID;

  -- kept, kept_bytes: the number of captures in the file and the length of their records; NULL until they are counted.
  ALTER TABLE archive_files ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE archive_files ADD COLUMN dropped_bytes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE archive_files ADD COLUMN kept INTEGER;
  ALTER TABLE archive_files ADD COLUMN kept_bytes INTEGER;
`;

/**
 * The tables of watchers and of marked pages (store/records/watcher-records.ts). PostgreSQL
 * has the same tables in store/postgres/schema.ts.
 */
const WATCHER_TABLES = `
  CREATE TABLE watchers (
    host_id INTEGER PRIMARY KEY,
    url TEXT NOT NULL DEFAULT '',
    cursor TEXT,
    asked_at INTEGER NOT NULL DEFAULT 0,
    read_at INTEGER NOT NULL DEFAULT 0,
    confirmed INTEGER NOT NULL DEFAULT 0,
    false_alarms INTEGER NOT NULL DEFAULT 0,
    missed INTEGER NOT NULL DEFAULT 0,
    quiet INTEGER NOT NULL DEFAULT 0
  );

  -- mark: the position in WATCH_MARKS. A page without a row is covered by its watcher and needs no visit.
  CREATE TABLE watch_marks (host_id INTEGER NOT NULL, url_id INTEGER NOT NULL, mark INTEGER NOT NULL, PRIMARY KEY (host_id, url_id))
  WITHOUT ROWID;
`;

/**
 * Why hosts and waiting URLs have to wait (HostRecord.trouble, Counts.retryReasons). PostgreSQL has the same columns in
 * store/postgres/schema.ts.
 */
const TROUBLE_COLUMNS = `
  ALTER TABLE hosts ADD COLUMN trouble TEXT;
  -- The time since which every reading of robots.txt has failed; NULL if the last one succeeded.
  ALTER TABLE hosts ADD COLUMN robots_since INTEGER;
  CREATE INDEX hosts_in_trouble ON hosts (id) WHERE trouble IS NOT NULL;
  INSERT INTO totals SELECT 'retry-reason/' || reason, count(*) FROM urls
    WHERE state = 0 AND failures > 0 AND reason IS NOT NULL GROUP BY reason;
`;

/**
 * What was learned about the template of each host's pages (content/template/template.ts). Older sketches of pages are
 * dropped: they were made from letters, and sketches of words cannot be compared with them. PostgreSQL has the same
 * table in store/postgres/schema.ts.
 */
const TEMPLATE_TABLE = `
  CREATE TABLE templates (host_id INTEGER PRIMARY KEY, counts BLOB NOT NULL);
  UPDATE pages SET sketch = NULL WHERE sketch IS NOT NULL;
  DELETE FROM print_blocks;
  DELETE FROM print_log;
`;

/**
 * Canonical links that are judged, and judged again (rules/canonical-rule.ts). PostgreSQL has the same columns and
 * table in store/postgres/schema.ts. Pages of earlier versions are judged at the beginning of the next run.
 */
const CANONICAL_COLUMNS = `
  -- canonical_end: where the canonical link leads, after redirects; NULL without a link to another URL.
  -- canonical_verdict: the position in VERDICT_NAMES.
  ALTER TABLE pages ADD COLUMN canonical_end INTEGER;
  ALTER TABLE pages ADD COLUMN canonical_verdict INTEGER;
  UPDATE pages SET canonical_end = canonical WHERE canonical <> url_id;
  DROP INDEX pages_of_canonical;
  CREATE INDEX pages_naming ON pages (canonical_end) WHERE canonical_end IS NOT NULL;

  -- URLs that changed, and whose naming pages with ids above \`after\` must be judged again.
  CREATE TABLE canonical_tasks (target INTEGER PRIMARY KEY, after INTEGER NOT NULL);
  INSERT INTO canonical_tasks SELECT DISTINCT canonical_end, 0 FROM pages WHERE canonical_end IS NOT NULL;
`;

/**
 * What the URLs of a path pattern have brought, and which URLs are left out for its budget
 * (rules/pattern-budget-rule.ts). PostgreSQL has the same in store/postgres/schema.ts. Nobody knows which URLs of an
 * old crawl were answered, so all count as answered, and each pattern has its whole budget again.
 */
const BUDGET_COLUMNS = `
  ALTER TABLE patterns ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE patterns ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE patterns ADD COLUMN productive INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE patterns ADD COLUMN barren INTEGER NOT NULL DEFAULT 0;
  UPDATE patterns SET answered = count;
  CREATE INDEX patterns_left_out ON patterns (host_id) WHERE left_out > 0;
  -- pattern: only for a URL that is or was left out for the budget of its pattern.
  ALTER TABLE urls ADD COLUMN pattern BLOB;
  CREATE INDEX urls_over_budget ON urls (host_id, pattern, id) WHERE reason = 'trap-pattern-budget';
`;

/** The fetched pages that lessons about parameters are compared with. PostgreSQL has the same table. */
const VARIANT_TABLE = `
  -- space, reduced: the first 8 bytes of the SHA-256 of the shape of the path, and of the URL that stands for the page.
  CREATE TABLE variant_pages (
    host_id INTEGER NOT NULL,
    space BLOB NOT NULL,
    reduced BLOB NOT NULL,
    url_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (host_id, space, reduced, url_id)
  ) WITHOUT ROWID;
`;

/**
 * The evidence that regions of each host's pages are noise (change/evidence/noise-evidence.ts). PostgreSQL has the same
 * table in store/postgres/schema.ts.
 */
const NOISE_TABLE = 'CREATE TABLE noise_evidence (host_id INTEGER PRIMARY KEY, evidence BLOB NOT NULL)';

/** What hosts answer for a path that does not exist, as JSON (NotFoundAnswer). */
const NOT_FOUND_COLUMN = 'ALTER TABLE hosts ADD COLUMN not_found TEXT';

/** The hashes of words are computed in another way, so templates and sketches of earlier versions match nothing. */
const OTHER_WORDS = `
  DELETE FROM templates;
  UPDATE pages SET sketch = NULL WHERE sketch IS NOT NULL;
  DELETE FROM print_blocks;
  DELETE FROM print_log;
`;

/**
 * How often words occur on a page (rules/word-difference.ts). Pages of earlier versions have no counts, and only their
 * sketches are compared. PostgreSQL has the same column in store/postgres/schema.ts.
 */
const WORD_COUNTS_COLUMN = 'ALTER TABLE pages ADD COLUMN word_counts BLOB';

/**
 * The hashes of the regions of a page, and the class of each change (core/page/change-class.ts). level and touches:
 * the positions in CHANGE_LEVELS and CHANGE_PARTS. PostgreSQL has the same columns in store/postgres/schema.ts.
 */
const CHANGE_CLASS_COLUMNS = `
  ALTER TABLE pages ADD COLUMN regions BLOB;
  ALTER TABLE changes ADD COLUMN level INTEGER;
  ALTER TABLE changes ADD COLUMN touches INTEGER;
  ALTER TABLE changes ADD COLUMN edit TEXT;
`;

/**
 * Followers (FollowerStore), and which commit touched each page last. PostgreSQL has the same in
 * store/postgres/schema.ts. All pages of an old copy count as touched by one commit. The cursors of listeners were
 * notes.
 */
const FOLLOWER_TABLES = `
  -- touched: the number of the last transaction that wrote or removed the page, or changed its state; NULL for a URL
  -- that has never had a page. The numbers ascend in the order of commits.
  ALTER TABLE urls ADD COLUMN touched INTEGER;
  UPDATE urls SET touched = 1 WHERE id IN (SELECT url_id FROM pages);
  CREATE INDEX urls_touched ON urls (touched) WHERE touched IS NOT NULL;

  -- position: a text of the follower; NULL at the beginning. owner, held_until: the lease.
  CREATE TABLE followers (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    position TEXT,
    owner TEXT,
    held_until INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  INSERT INTO followers (name, version, position) SELECT name, 1, value FROM notes WHERE name GLOB 'delivered/*';
  DELETE FROM notes WHERE name GLOB 'delivered/*';
`;

/**
 * The page of which a page was a copy at its last visit (VisitRecord.copyOf), and the edits that several changes share
 * (ChangeStore.sharedEdits). PostgreSQL has the same in store/postgres/schema.ts.
 */
const COPY_COLUMN = `
  ALTER TABLE visits ADD COLUMN copy_of INTEGER;
  UPDATE visits SET copy_of = (
    SELECT CASE p.duplicate_of WHEN 0 THEN (SELECT url_id FROM contents WHERE digest = substr(p.digest, 1, 16))
      ELSE p.duplicate_of END
    FROM pages p WHERE p.url_id = visits.url_id AND p.duplicate_of IS NOT NULL);
  CREATE INDEX changes_of_edit ON changes (edit, seq) WHERE edit IS NOT NULL AND kind = 1;
`;

/** The hours at which a page changes (VisitState.rhythm). PostgreSQL has it in store/postgres/schema.ts. */
const RHYTHM_COLUMN = 'ALTER TABLE visits ADD COLUMN rhythm INTEGER NOT NULL DEFAULT 0';

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE notes (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE totals (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

  -- ready_at: the time from which the host can be claimed. Leased host: the end of the lease. No waiting URL: NULL.
  CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    host TEXT NOT NULL UNIQUE,
    ready_at INTEGER,
    lease_owner TEXT,
    asked_at INTEGER NOT NULL DEFAULT 0,
    delay_ms INTEGER,
    blocked_until INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0,
    fetched INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    robots_status INTEGER,
    robots_body TEXT,
    robots_at INTEGER
  );
  CREATE INDEX hosts_ready ON hosts (ready_at) WHERE ready_at IS NOT NULL;
  CREATE INDEX hosts_leased ON hosts (lease_owner) WHERE lease_owner IS NOT NULL;

  -- state: the position in URL_STATES; 0 is waiting. The key is the first 16 bytes of the SHA-256 of the normal form.
  CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    host_id INTEGER NOT NULL,
    key BLOB NOT NULL,
    state INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    rank REAL NOT NULL,
    hops INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER,
    -- For a crawl with a topic: the expected relevance, and the trail on which the URL was found.
    relevance REAL,
    inherited REAL,
    steps_off INTEGER,
    via INTEGER,
    redirect_to INTEGER,
    stand_in INTEGER,
    reason TEXT,
    url TEXT NOT NULL,
    original TEXT
  );
  CREATE UNIQUE INDEX urls_key ON urls (host_id, key);
  CREATE INDEX urls_waiting ON urls (host_id, rank, id) WHERE state = 0 AND due_at IS NULL;
  CREATE INDEX urls_due ON urls (host_id, due_at) WHERE state = 0 AND due_at IS NOT NULL;
  CREATE INDEX urls_stand_in ON urls (host_id, stand_in) WHERE stand_in IS NOT NULL;
  CREATE INDEX urls_too_deep ON urls (depth) WHERE reason = 'too-deep';
  CREATE INDEX urls_redirect_to ON urls (redirect_to) WHERE redirect_to IS NOT NULL;

  -- duplicate_of: the canonical URL of a duplicate that names one; 0 for a duplicate by content. The table contents has
  -- the original of a duplicate by content. So one row changes with the original, however many duplicates there are.
  CREATE TABLE pages (
    url_id INTEGER PRIMARY KEY,
    bytes INTEGER NOT NULL,
    digest BLOB NOT NULL,
    canonical INTEGER,
    duplicate_of INTEGER,
    noindex INTEGER NOT NULL,
    outlinks INTEGER NOT NULL,
    relevance REAL,
    graph_seq INTEGER NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    near_of INTEGER,
    similarity REAL,
    etag TEXT,
    last_modified TEXT,
    sketch BLOB
  );
  CREATE INDEX pages_of_content ON pages (digest) WHERE duplicate_of = 0;
  CREATE INDEX pages_of_canonical ON pages (duplicate_of) WHERE duplicate_of > 0;
  CREATE INDEX pages_near ON pages (near_of) WHERE near_of IS NOT NULL;

  -- URLs that were answered and can be visited again. The rows are small, because planning reads all of them.
  -- kind: the position in VISIT_KINDS. streak: the number of consecutive visits that each found different content.
  -- trouble: the reason why the last visit failed.
  CREATE TABLE visits (
    url_id INTEGER PRIMARY KEY,
    host_id INTEGER NOT NULL,
    pattern INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    is_source INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    checks INTEGER NOT NULL DEFAULT 0,
    streak INTEGER NOT NULL DEFAULT 0,
    changes REAL NOT NULL DEFAULT 0,
    changed_log REAL NOT NULL DEFAULT 0,
    quiet_ms REAL NOT NULL DEFAULT 0,
    interval_ms REAL NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    claimed_at INTEGER NOT NULL DEFAULT 0,
    claim_seen INTEGER NOT NULL DEFAULT 0,
    orphaned_at INTEGER,
    trouble TEXT
  );
  CREATE INDEX visits_orphaned ON visits (url_id) WHERE orphaned_at IS NOT NULL;

  -- The claims of change sources about URLs that were not visited yet.
  CREATE TABLE claims (url_id INTEGER PRIMARY KEY, claimed_at INTEGER NOT NULL);

  -- How often the change sources of a host were right.
  CREATE TABLE sources (
    host_id INTEGER PRIMARY KEY,
    confirmed INTEGER NOT NULL,
    false_alarms INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    quiet INTEGER NOT NULL
  );

  -- The changes of pages. kind: the position in CHANGE_KINDS. A number is never used twice, even if rows are deleted.
  CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    url_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    reason TEXT,
    title TEXT NOT NULL,
    change TEXT
  );
  CREATE INDEX changes_of_url ON changes (url_id, seq);

  -- The pages of each fingerprint (fingerprint-index.ts). A block has the entries from its first key up to that of the next.
  CREATE TABLE print_blocks (first INTEGER PRIMARY KEY, entries BLOB NOT NULL);
  CREATE TABLE print_log (seq INTEGER PRIMARY KEY, entries BLOB NOT NULL);

  -- For each pair of hosts, the earlier known host first: the number of paths with the same page on both hosts, and of
  -- paths with different pages.
  CREATE TABLE mirrors (
    first INTEGER NOT NULL,
    second INTEGER NOT NULL,
    same INTEGER NOT NULL,
    different INTEGER NOT NULL,
    PRIMARY KEY (first, second)
  ) WITHOUT ROWID;

  -- The link lists of the pages of one commit, or of many commits after counting and closing (graph/segment.ts). The
  -- list of a page is in the first row whose number is at least its graph_seq.
  CREATE TABLE graph (seq INTEGER PRIMARY KEY, closed INTEGER NOT NULL, links INTEGER NOT NULL, lists BLOB NOT NULL);
  CREATE INDEX graph_open ON graph (links) WHERE closed = 0;

  CREATE TABLE backlinks (block INTEGER PRIMARY KEY, counts BLOB NOT NULL);
  CREATE TABLE page_ranks (block INTEGER PRIMARY KEY, ranks BLOB NOT NULL);

  -- The first page of each content, by the first 16 bytes of its digest.
  CREATE TABLE contents (digest BLOB PRIMARY KEY, url_id INTEGER NOT NULL) WITHOUT ROWID;

  CREATE TABLE archive_files (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL);

  CREATE TABLE captures (
    url_id INTEGER NOT NULL,
    fetched_at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    payload_digest TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    revisit INTEGER NOT NULL,
    PRIMARY KEY (url_id, fetched_at)
  ) WITHOUT ROWID;

  -- The pattern is the first 8 bytes of its SHA-256: there can be as many patterns as URLs, and they are only counted.
  CREATE TABLE patterns (host_id INTEGER NOT NULL, pattern BLOB NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (host_id, pattern))
  WITHOUT ROWID;

  -- verdict: the position in PARAMETER_VERDICTS.
  CREATE TABLE parameters (
    id INTEGER PRIMARY KEY,
    host_id INTEGER NOT NULL,
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    verdict INTEGER NOT NULL DEFAULT 0,
    pairs INTEGER NOT NULL DEFAULT 0,
    pages INTEGER NOT NULL DEFAULT 0,
    audits INTEGER NOT NULL DEFAULT 0,
    contradicted_by INTEGER
  );
  CREATE UNIQUE INDEX parameters_name ON parameters (host_id, space, name);
  CREATE INDEX parameters_verdict ON parameters (verdict);

  -- base: the first 8 bytes of the key of the URL without the parameter. bare: whether that URL was one of the pages.
  CREATE TABLE parameter_bases (
    parameter_id INTEGER NOT NULL,
    base BLOB NOT NULL,
    essence BLOB NOT NULL,
    digest BLOB NOT NULL,
    pairs INTEGER NOT NULL,
    bare INTEGER NOT NULL,
    PRIMARY KEY (parameter_id, base)
  ) WITHOUT ROWID;
  `,
  RETENTION_TABLES,
  WATCHER_TABLES,
  DAMAGE_TABLES,
  TROUBLE_COLUMNS,
  TEMPLATE_TABLE,
  CANONICAL_COLUMNS,
  BUDGET_COLUMNS,
  VARIANT_TABLE,
  NOT_FOUND_COLUMN,
  OTHER_WORDS,
  WORD_COUNTS_COLUMN,
  CHANGE_CLASS_COLUMNS,
  FOLLOWER_TABLES,
  NOISE_TABLE,
  COPY_COLUMN,
  RHYTHM_COLUMN,
];
