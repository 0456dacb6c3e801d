/**
 * The tables of a crawl. `@.` stands for the schema of the crawl. Each statement creates only what does not exist yet,
 * so the same text creates the tables of a new crawl and the missing tables of a crawl that is converted (migrate.ts).
 *
 * Every table whose rows belong to a host or to a URL has the id of the host in its primary key. An extension that
 * distributes tables over servers needs this: it can keep a key unique only if the key includes the column by which the
 * rows are distributed. The host comes last in the key, except where rows are read by host, so a search by the other
 * columns uses the index of the key. Rows that belong to no host (contents by their digest, fingerprints, the link
 * graph) have no such column.
 *
 * The partner for SQLite is store/sqlite/schema.ts; all tests in test/store/contract run over both engines.
 */

/** A change of the layout edits LAYOUT, raises this number, and adds a step to migrate.ts for older crawls. */
export const LAYOUT_VERSION = 12;

/** Tables that grow large. No frequent statement may read a whole table of these. */
export const LARGE_TABLES = ['hosts', 'urls', 'pages', 'visits', 'captures', 'contents', 'prints'] as const;

/** Rows are updated often: some free space in each block of the table keeps that cheap. */
const UPDATED = 'WITH (fillfactor = 90)';

/**
 * A server that has statistics of a table with a few rows reads the whole table instead of its index. With prepared
 * statements it still does so when there are thousands of rows: looking up 3,000 URLs took 9 s instead of 0.1 s. So the
 * server collects no statistics of these tables before this many rows are written. There are few hosts, and they are
 * written with every commit, so their table keeps the server's default rules.
 */
const LARGE = 'WITH (fillfactor = 90, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_threshold = 5000)';

export const LAYOUT = `
  CREATE TABLE IF NOT EXISTS @.notes (name text PRIMARY KEY, value text NOT NULL);

  -- The counts of the crawl. A total is the sum of its slots: workers that add to different slots do not wait for each
  -- other.
  CREATE TABLE IF NOT EXISTS @.totals (
    slot smallint NOT NULL,
    name text NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (slot, name)
  );

  -- Marks of transactions that must take effect only once, also if the server's answer is lost (database.ts).
  CREATE TABLE IF NOT EXISTS @.marks (mark uuid PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now());

  -- URL ids are taken a thousand at a time.
  CREATE SEQUENCE IF NOT EXISTS @.url_ids INCREMENT BY 1000;
  CREATE SEQUENCE IF NOT EXISTS @.host_numbers;
  CREATE SEQUENCE IF NOT EXISTS @.parameter_ids;
  CREATE SEQUENCE IF NOT EXISTS @.file_ids;
  CREATE SEQUENCE IF NOT EXISTS @.graph_seqs;
  CREATE SEQUENCE IF NOT EXISTS @.change_seqs;
  CREATE SEQUENCE IF NOT EXISTS @.closings;
  -- Pages of a copy of a layout before 9 have the number 1.
  CREATE SEQUENCE IF NOT EXISTS @.touch_seqs START 2;

  -- slot: the place on the ring of workers. ready_at: when the host may be claimed; while it is leased, the end of the
  -- lease; NULL when no URL waits. robots_body: bytes, because a server may send anything.
  CREATE TABLE IF NOT EXISTS @.hosts (
    id bigint PRIMARY KEY,
    host text NOT NULL UNIQUE,
    slot smallint NOT NULL,
    ready_at bigint,
    lease_owner text,
    asked_at bigint NOT NULL DEFAULT 0,
    delay_ms double precision,
    blocked_until bigint NOT NULL DEFAULT 0,
    waiting bigint NOT NULL DEFAULT 0,
    fetched bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    robots_status integer,
    robots_body bytea,
    robots_at bigint
  ) ${UPDATED};
  -- trouble: why the last request to the host failed. robots_since: since when every reading of robots.txt has failed.
  ALTER TABLE @.hosts ADD COLUMN IF NOT EXISTS trouble text, ADD COLUMN IF NOT EXISTS robots_since bigint;
  -- not_found: what the host answers for a path that does not exist, as JSON (NotFoundAnswer).
  ALTER TABLE @.hosts ADD COLUMN IF NOT EXISTS not_found text;
  CREATE INDEX IF NOT EXISTS hosts_in_trouble ON @.hosts (id) WHERE trouble IS NOT NULL;
  CREATE INDEX IF NOT EXISTS hosts_ready ON @.hosts (ready_at) WHERE ready_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS hosts_leased ON @.hosts (lease_owner) WHERE lease_owner IS NOT NULL;

  -- counts: what was learned about the template of the host's pages (content/template/template.ts).
  CREATE TABLE IF NOT EXISTS @.templates (host_id bigint PRIMARY KEY, counts bytea NOT NULL);

  -- evidence: why regions of the host's pages are noise (change/evidence/noise-evidence.ts).
  CREATE TABLE IF NOT EXISTS @.noise_evidence (host_id bigint PRIMARY KEY, evidence bytea NOT NULL);

  -- The shares of a large host. Each share may be leased by another worker. It has the URLs whose id modulo shares is
  -- its number.
  CREATE TABLE IF NOT EXISTS @.host_shares (
    host_id bigint NOT NULL,
    share smallint NOT NULL,
    shares smallint NOT NULL,
    ready_at bigint NOT NULL,
    lease_owner text,
    PRIMARY KEY (host_id, share)
  );

  -- state: the position in URL_STATES; 0 is waiting. key: the first 16 bytes of the SHA-256 of the normal form.
  CREATE TABLE IF NOT EXISTS @.urls (
    id bigint NOT NULL,
    state smallint NOT NULL,
    hops smallint NOT NULL,
    depth integer NOT NULL,
    host_id bigint NOT NULL,
    key uuid NOT NULL,
    rank double precision NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    steps_off integer,
    due_at bigint,
    relevance double precision,
    inherited double precision,
    via bigint,
    redirect_to bigint,
    stand_in bigint,
    reason text,
    url text NOT NULL,
    original text,
    PRIMARY KEY (id, host_id)
  ) ${LARGE};
  -- The size of this index matters most: its blocks are in memory or not, and are written whole to the write-ahead log
  -- after a checkpoint.
  CREATE UNIQUE INDEX IF NOT EXISTS urls_key ON @.urls (host_id, key);
  CREATE INDEX IF NOT EXISTS urls_waiting ON @.urls (host_id, rank, id) WHERE state = 0 AND due_at IS NULL;
  CREATE INDEX IF NOT EXISTS urls_due ON @.urls (host_id, due_at) WHERE state = 0 AND due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS urls_stand_in ON @.urls (host_id, stand_in) WHERE stand_in IS NOT NULL;
  CREATE INDEX IF NOT EXISTS urls_too_deep ON @.urls (depth) WHERE reason = 'too-deep';
  CREATE INDEX IF NOT EXISTS urls_redirect_to ON @.urls (redirect_to) WHERE redirect_to IS NOT NULL;
  -- pattern: only for a URL that is or was left out for the budget of its path pattern.
  ALTER TABLE @.urls ADD COLUMN IF NOT EXISTS pattern bytea;
  -- touched: the number of the last transaction that wrote or removed the page, or changed its state; NULL for a URL
  -- that has never had a page (rows/touch-seq.ts).
  ALTER TABLE @.urls ADD COLUMN IF NOT EXISTS touched bigint;
  CREATE INDEX IF NOT EXISTS urls_touched ON @.urls (touched, id) WHERE touched IS NOT NULL;
  CREATE INDEX IF NOT EXISTS urls_over_budget ON @.urls (host_id, pattern, id) WHERE reason = 'trap-pattern-budget';

  -- duplicate_of: the canonical URL of a duplicate by its canonical link; 0 for a duplicate by content, whose original
  -- is in table contents.
  CREATE TABLE IF NOT EXISTS @.pages (
    url_id bigint NOT NULL,
    host_id bigint NOT NULL,
    noindex boolean NOT NULL,
    outlinks integer NOT NULL,
    bytes bigint NOT NULL,
    digest bytea NOT NULL,
    canonical bigint,
    duplicate_of bigint,
    relevance double precision,
    graph_seq bigint NOT NULL,
    near_of bigint,
    similarity double precision,
    title text NOT NULL,
    language text NOT NULL,
    etag text,
    last_modified text,
    sketch bytea,
    PRIMARY KEY (url_id, host_id)
  ) ${LARGE};
  -- canonical_end: where the canonical link leads, after redirects; NULL without a link to another URL.
  -- canonical_verdict: the position in VERDICT_NAMES.
  ALTER TABLE @.pages ADD COLUMN IF NOT EXISTS canonical_end bigint, ADD COLUMN IF NOT EXISTS canonical_verdict smallint;
  -- word_counts: see rules/word-difference.ts; NULL for a page of a layout before 7.
  ALTER TABLE @.pages ADD COLUMN IF NOT EXISTS word_counts bytea;
  -- regions: hashes by which a visit decides whether the page has changed; NULL for a page of a layout before 8.
  ALTER TABLE @.pages ADD COLUMN IF NOT EXISTS regions bytea;
  CREATE INDEX IF NOT EXISTS pages_of_content ON @.pages (digest, url_id) WHERE duplicate_of = 0;
  CREATE INDEX IF NOT EXISTS pages_naming ON @.pages (canonical_end, url_id) WHERE canonical_end IS NOT NULL;
  CREATE INDEX IF NOT EXISTS pages_near ON @.pages (near_of) WHERE near_of IS NOT NULL;

  -- URLs that changed, and whose naming pages with ids above "after" must be judged again.
  CREATE TABLE IF NOT EXISTS @.canonical_tasks (target bigint PRIMARY KEY, after bigint NOT NULL);

  -- URLs that were answered and may be visited again. kind: the position in VISIT_KINDS. streak: successive visits
  -- that each found another content. trouble: why the last visit failed.
  CREATE TABLE IF NOT EXISTS @.visits (
    url_id bigint NOT NULL,
    kind smallint NOT NULL,
    is_source boolean NOT NULL,
    depth integer NOT NULL,
    host_id bigint NOT NULL,
    pattern double precision NOT NULL,
    checked_at bigint NOT NULL,
    checks integer NOT NULL DEFAULT 0,
    streak integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    changes double precision NOT NULL DEFAULT 0,
    changed_log double precision NOT NULL DEFAULT 0,
    quiet_ms double precision NOT NULL DEFAULT 0,
    interval_ms double precision NOT NULL DEFAULT 0,
    not_before bigint NOT NULL DEFAULT 0,
    claimed_at bigint NOT NULL DEFAULT 0,
    claim_seen bigint NOT NULL DEFAULT 0,
    orphaned_at bigint,
    trouble text,
    PRIMARY KEY (url_id, host_id)
  ) ${LARGE};
  -- copy_of: the page of which this page was a copy at its last visit; NULL if it was none.
  ALTER TABLE @.visits ADD COLUMN IF NOT EXISTS copy_of bigint;
  -- rhythm: the hours at which the page changes (VisitState.rhythm).
  ALTER TABLE @.visits ADD COLUMN IF NOT EXISTS rhythm bigint NOT NULL DEFAULT 0;
  CREATE INDEX IF NOT EXISTS visits_orphaned ON @.visits (url_id) WHERE orphaned_at IS NOT NULL;

  -- Claims of change sources about URLs that have no visit yet.
  CREATE TABLE IF NOT EXISTS @.claims (
    url_id bigint NOT NULL,
    host_id bigint NOT NULL,
    claimed_at bigint NOT NULL,
    PRIMARY KEY (url_id, host_id)
  );

  -- How often the change sources of a host were right.
  CREATE TABLE IF NOT EXISTS @.sources (
    host_id bigint PRIMARY KEY,
    confirmed integer NOT NULL,
    false_alarms integer NOT NULL,
    missed integer NOT NULL,
    quiet integer NOT NULL
  );

  -- The change log of pages. kind: the position in CHANGE_KINDS. seq: ascends in the order of commits.
  CREATE TABLE IF NOT EXISTS @.changes (
    seq bigint NOT NULL,
    url_id bigint NOT NULL,
    host_id bigint NOT NULL,
    at bigint NOT NULL,
    kind smallint NOT NULL,
    reason text,
    title text NOT NULL,
    change text,
    PRIMARY KEY (seq, host_id)
  );
  -- The class of the change (core/page/change-class.ts). level, touches: the positions in CHANGE_LEVELS and CHANGE_PARTS.
  ALTER TABLE @.changes ADD COLUMN IF NOT EXISTS level smallint, ADD COLUMN IF NOT EXISTS touches smallint,
    ADD COLUMN IF NOT EXISTS edit text;
  CREATE INDEX IF NOT EXISTS changes_of_url ON @.changes (url_id, seq);
  -- kind 1: the position of 'changed' in CHANGE_KINDS.
  CREATE INDEX IF NOT EXISTS changes_of_edit ON @.changes (edit, seq) WHERE edit IS NOT NULL AND kind = 1;

  -- Followers. position: a text of the follower; NULL at the beginning. owner, held_until: the lease.
  CREATE TABLE IF NOT EXISTS @.followers (
    name text PRIMARY KEY,
    version integer NOT NULL,
    position text,
    owner text,
    held_until bigint NOT NULL DEFAULT 0
  );

  -- The pages that have a fingerprint. There are ten rows for each leader, so rows are as small as possible. There is
  -- no key, because a writer has read the rows of the fingerprint before.
  CREATE TABLE IF NOT EXISTS @.prints (print integer NOT NULL, url_id bigint NOT NULL) ${LARGE};
  CREATE INDEX IF NOT EXISTS prints_of ON @.prints (print);

  -- For a pair of hosts, the smaller id first: the number of paths with the same page on both hosts, and of other
  -- paths.
  CREATE TABLE IF NOT EXISTS @.mirrors (
    first bigint NOT NULL,
    second bigint NOT NULL,
    same integer NOT NULL,
    different integer NOT NULL,
    PRIMARY KEY (first, second)
  );
  CREATE INDEX IF NOT EXISTS mirrors_second ON @.mirrors (second, first);

  -- The link lists of a commit, or of several rows that were joined (graph/segment.ts). The row may have lists of the
  -- commits from first to seq. closed: the links are counted; the number ascends in the order of closing.
  CREATE TABLE IF NOT EXISTS @.graph (
    seq bigint PRIMARY KEY,
    first bigint NOT NULL,
    closed bigint,
    links integer NOT NULL,
    lists bytea NOT NULL
  );
  CREATE INDEX IF NOT EXISTS graph_open ON @.graph (seq) WHERE closed IS NULL;
  CREATE INDEX IF NOT EXISTS graph_closed ON @.graph (closed) WHERE closed IS NOT NULL;

  CREATE TABLE IF NOT EXISTS @.backlinks (block bigint PRIMARY KEY, counts bytea NOT NULL);
  CREATE TABLE IF NOT EXISTS @.page_ranks (block bigint PRIMARY KEY, ranks bytea NOT NULL);

  -- The first page of each content, by the first 16 bytes of the digest.
  CREATE TABLE IF NOT EXISTS @.contents (digest uuid PRIMARY KEY, url_id bigint NOT NULL) ${LARGE};

  -- owner, machine, folder: the worker that wrote the file, and where the file lies. kept, kept_bytes: the captures in
  -- the file and the length of their records; NULL while they were not counted.
  CREATE TABLE IF NOT EXISTS @.archive_files (
    id bigint PRIMARY KEY,
    name text NOT NULL UNIQUE,
    bytes bigint NOT NULL,
    owner text NOT NULL DEFAULT '',
    machine text NOT NULL DEFAULT '',
    folder text NOT NULL DEFAULT '',
    dropped bigint NOT NULL DEFAULT 0,
    dropped_bytes bigint NOT NULL DEFAULT 0,
    kept bigint,
    kept_bytes bigint
  );

  CREATE TABLE IF NOT EXISTS @.captures (
    url_id bigint NOT NULL,
    host_id bigint NOT NULL,
    status smallint NOT NULL,
    revisit boolean NOT NULL,
    fetched_at bigint NOT NULL,
    file_id bigint NOT NULL,
    "offset" bigint NOT NULL,
    length bigint NOT NULL,
    content_type text NOT NULL,
    payload_digest text NOT NULL,
    PRIMARY KEY (url_id, fetched_at, host_id)
  ) ${LARGE};
  CREATE INDEX IF NOT EXISTS captures_revisits ON @.captures (payload_digest) WHERE revisit;

  -- URLs with more than one capture. judge_from: 0 if the captures must be judged; else the earliest time for which a
  -- rule that keeps the versions since then would drop a capture.
  CREATE TABLE IF NOT EXISTS @.looked_again (
    url_id bigint NOT NULL,
    host_id bigint NOT NULL,
    judge_from bigint NOT NULL,
    PRIMARY KEY (url_id, host_id)
  );

  -- The capture that has a payload which has left the place that revisit records name.
  CREATE TABLE IF NOT EXISTS @.moved_payloads (
    digest text PRIMARY KEY,
    url_id bigint NOT NULL,
    fetched_at bigint NOT NULL
  );

  -- Captures that the archive cannot give back, found by verify.
  CREATE TABLE IF NOT EXISTS @.damaged_captures (
    url_id bigint NOT NULL,
    host_id bigint NOT NULL,
    fetched_at bigint NOT NULL,
    found_at bigint NOT NULL,
    problem text NOT NULL,
    PRIMARY KEY (url_id, fetched_at, host_id)
  );

  -- pattern: the first 8 bytes of its SHA-256.
  CREATE TABLE IF NOT EXISTS @.patterns (
    host_id bigint NOT NULL,
    pattern bytea NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (host_id, pattern)
  );
  -- left_out: the URLs among them that are left out for the budget.
  ALTER TABLE @.patterns ADD COLUMN IF NOT EXISTS left_out bigint NOT NULL DEFAULT 0;
  CREATE INDEX IF NOT EXISTS patterns_left_out ON @.patterns (host_id) WHERE left_out > 0;

  -- What the answered URLs of a pattern have brought. Each worker adds to the rows of its slot.
  CREATE TABLE IF NOT EXISTS @.pattern_answers (
    host_id bigint NOT NULL,
    pattern bytea NOT NULL,
    slot smallint NOT NULL,
    answered bigint NOT NULL DEFAULT 0,
    productive bigint NOT NULL DEFAULT 0,
    barren bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (host_id, pattern, slot)
  );

  -- verdict: the position in PARAMETER_VERDICTS.
  CREATE TABLE IF NOT EXISTS @.parameters (
    id bigint NOT NULL,
    host_id bigint NOT NULL,
    space text NOT NULL,
    name text NOT NULL,
    verdict smallint NOT NULL DEFAULT 0,
    pairs integer NOT NULL DEFAULT 0,
    pages integer NOT NULL DEFAULT 0,
    audits integer NOT NULL DEFAULT 0,
    contradicted_by bigint,
    PRIMARY KEY (id, host_id)
  );
  CREATE UNIQUE INDEX IF NOT EXISTS parameters_name ON @.parameters (host_id, space, name);

  -- A base is a URL without the parameter, by the first 8 bytes of its key. bare: that URL itself was among the pages.
  CREATE TABLE IF NOT EXISTS @.parameter_bases (
    parameter_id bigint NOT NULL,
    host_id bigint NOT NULL,
    base bytea NOT NULL,
    essence bytea NOT NULL,
    digest bytea NOT NULL,
    pairs integer NOT NULL,
    bare boolean NOT NULL,
    PRIMARY KEY (parameter_id, base, host_id)
  );

  -- Fetched pages with parameters that may be ignored. space, reduced: the first 8 bytes of the SHA-256 of the shape of
  -- the path, and of the URL that stands for the page.
  CREATE TABLE IF NOT EXISTS @.variant_pages (
    host_id bigint NOT NULL,
    space bytea NOT NULL,
    reduced bytea NOT NULL,
    url_id bigint NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (host_id, space, reduced, url_id)
  );

  CREATE TABLE IF NOT EXISTS @.watchers (
    host_id bigint PRIMARY KEY,
    url text NOT NULL DEFAULT '',
    cursor text,
    asked_at bigint NOT NULL DEFAULT 0,
    read_at bigint NOT NULL DEFAULT 0,
    confirmed integer NOT NULL DEFAULT 0,
    false_alarms integer NOT NULL DEFAULT 0,
    missed integer NOT NULL DEFAULT 0,
    quiet integer NOT NULL DEFAULT 0
  );

  -- mark: the position in WATCH_MARKS.
  CREATE TABLE IF NOT EXISTS @.watch_marks (
    host_id bigint NOT NULL,
    url_id bigint NOT NULL,
    mark smallint NOT NULL,
    PRIMARY KEY (host_id, url_id)
  );

  -- life: the number of a run, taken when the worker joins and each time it is revived. token: identifies one call to
  -- join, which may have to be repeated. lease_ms: the worker is dead when this long has passed since its last
  -- heartbeat. tickets: the pages that the worker may still add to the copy, if there is a limit.
  CREATE TABLE IF NOT EXISTS @.workers (
    owner text PRIMARY KEY,
    name text NOT NULL,
    life bigint NOT NULL,
    token text NOT NULL UNIQUE,
    machine text NOT NULL,
    pid integer NOT NULL,
    archive_dir text NOT NULL,
    joined_at bigint NOT NULL,
    beat_at bigint NOT NULL,
    lease_ms bigint NOT NULL,
    tickets bigint NOT NULL DEFAULT 0,
    is_asked_to_drain boolean NOT NULL DEFAULT false,
    news jsonb NOT NULL
  );

  -- last_run: the highest life of a worker so far.
  CREATE TABLE IF NOT EXISTS @.cluster_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    notes_version bigint NOT NULL DEFAULT 0,
    last_run bigint NOT NULL DEFAULT 0
  );
  INSERT INTO @.cluster_state DEFAULT VALUES ON CONFLICT DO NOTHING;
`;
