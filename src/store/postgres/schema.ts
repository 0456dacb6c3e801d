/**
 * The tables, as a list of migrations: the schema version is the number of migrations that ran. A released migration is
 * never edited; a change is a new migration at the end. `@.` stands for the schema of the crawl.
 *
 * Every table of the crawl has the part of its host, and every key includes it. `part` is a hash of the host's name,
 * so everything about a host lies in one partition of each table, and an extension that distributes tables over
 * servers can use that column. Rows that belong to no host (contents by their digest, fingerprints, blocks of the
 * link graph) have a part that comes from their own key.
 *
 * The partner for SQLite is store/sqlite/schema.ts; all tests in test/store/contract run over both engines.
 */
import { WORKER_TABLES } from './leases/worker-tables.ts';

/** Tables that are partitioned by `part`, or distributed by it if the server can do that. */
export const PARTED_TABLES = [
  'hosts',
  'urls',
  'pages',
  'visits',
  'captures',
  'contents',
  'prints',
  'patterns',
  'parameters',
  'parameter_bases',
  'claims',
  'sources',
  'changes',
  'graph',
  'watchers',
  'watch_marks',
  'looked_again',
  'host_shares',
] as const;

/** Tables that grow large. They have a partition for each part. */
export const LARGE_TABLES = ['hosts', 'urls', 'pages', 'visits', 'captures', 'contents', 'prints'] as const;
export type LargeTable = (typeof LARGE_TABLES)[number];

/**
 * The unique index of each partition of `urls`. It leaves out the part, which is the same in all rows, so an
 * entry is a fifth smaller. The size of this index matters most: its blocks are in memory or not, and are
 * written whole to the write-ahead log after a checkpoint.
 */
export const URL_KEY = ['host_id', 'key'] as const;

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE @.notes (name text PRIMARY KEY, value text NOT NULL);

  -- Kept by slots, so that workers do not wait for each other; a total is their sum.
  CREATE TABLE @.totals (slot smallint NOT NULL, name text NOT NULL, value bigint NOT NULL, PRIMARY KEY (slot, name));

  -- Of transactions whose end may not be heard (database.ts).
  CREATE TABLE @.marks (mark uuid PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now());

  -- Numbers are taken from it by the thousand.
  CREATE SEQUENCE @.url_ids INCREMENT BY 1000;
  CREATE SEQUENCE @.host_numbers;
  CREATE SEQUENCE @.parameter_ids;
  CREATE SEQUENCE @.file_ids;
  CREATE SEQUENCE @.graph_seqs;
  CREATE SEQUENCE @.change_seqs;
  CREATE SEQUENCE @.closings;

  -- id: a number times the count of parts, plus the part. slot: the place on the ring of workers. ready_at: when the host may be
  -- claimed; the end of the lease while it is leased; NULL when nothing waits. robots_body: UTF-8, with whatever a server sends.
  CREATE TABLE @.hosts (
    id bigint NOT NULL,
    part smallint NOT NULL,
    host text NOT NULL,
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
    robots_at bigint,
    PRIMARY KEY (id, part),
    UNIQUE (host, part)
  ) %hosts;
  CREATE INDEX hosts_ready ON @.hosts (ready_at) WHERE ready_at IS NOT NULL;
  CREATE INDEX hosts_leased ON @.hosts (lease_owner) WHERE lease_owner IS NOT NULL;

  -- A large host's further shares: each may be leased by another worker, and has the URLs whose id leaves its number.
  CREATE TABLE @.host_shares (
    part smallint NOT NULL,
    host_id bigint NOT NULL,
    share smallint NOT NULL,
    shares smallint NOT NULL,
    ready_at bigint NOT NULL,
    lease_owner text,
    PRIMARY KEY (part, host_id, share)
  );

  -- state: the position in URL_STATES; 0 is waiting. key: the first 16 bytes of the SHA-256 of the normal form.
  CREATE TABLE @.urls (
    id bigint NOT NULL,
    part smallint NOT NULL,
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
    PRIMARY KEY (id, part)
  ) %urls;
  CREATE INDEX urls_waiting ON @.urls (host_id, rank, id) WHERE state = 0 AND due_at IS NULL;
  CREATE INDEX urls_due ON @.urls (host_id, due_at) WHERE state = 0 AND due_at IS NOT NULL;
  CREATE INDEX urls_stand_in ON @.urls (host_id, stand_in) WHERE stand_in IS NOT NULL;
  CREATE INDEX urls_too_deep ON @.urls (depth) WHERE reason = 'too-deep';
  CREATE INDEX urls_redirect_to ON @.urls (redirect_to) WHERE redirect_to IS NOT NULL;

  -- duplicate_of: the canonical URL of what is a duplicate by that; 0 for a duplicate by content, whose original the table
  -- contents knows.
  CREATE TABLE @.pages (
    url_id bigint NOT NULL,
    part smallint NOT NULL,
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
    PRIMARY KEY (url_id, part)
  ) %pages;
  CREATE INDEX pages_of_content ON @.pages (digest, url_id) WHERE duplicate_of = 0;
  CREATE INDEX pages_of_canonical ON @.pages (duplicate_of) WHERE duplicate_of > 0;
  CREATE INDEX pages_near ON @.pages (near_of) WHERE near_of IS NOT NULL;

  -- A URL that was answered, and may be asked again; kind: the position in VISIT_KINDS; streak: looks in a row that found another
  -- content each; trouble: why the last look failed.
  CREATE TABLE @.visits (
    url_id bigint NOT NULL,
    part smallint NOT NULL,
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
    PRIMARY KEY (url_id, part)
  ) %visits;
  CREATE INDEX visits_orphaned ON @.visits (url_id) WHERE orphaned_at IS NOT NULL;

  -- What sources say of URLs that have no visit yet.
  CREATE TABLE @.claims (part smallint NOT NULL, url_id bigint NOT NULL, claimed_at bigint NOT NULL, PRIMARY KEY (part, url_id));

  -- How often the change sources of a host told the truth.
  CREATE TABLE @.sources (
    part smallint NOT NULL,
    host_id bigint NOT NULL,
    confirmed integer NOT NULL,
    false_alarms integer NOT NULL,
    missed integer NOT NULL,
    quiet integer NOT NULL,
    PRIMARY KEY (part, host_id)
  );

  -- What happened to pages; kind: the position in CHANGE_KINDS. Numbers are given in the order of commits.
  CREATE TABLE @.changes (
    part smallint NOT NULL,
    seq bigint NOT NULL,
    url_id bigint NOT NULL,
    at bigint NOT NULL,
    kind smallint NOT NULL,
    reason text,
    title text NOT NULL,
    change text,
    PRIMARY KEY (seq, part)
  );
  CREATE INDEX changes_of_url ON @.changes (url_id, seq);

  -- Which pages have a fingerprint; its part is by the fingerprint. url_part: of the page. Ten rows a page: as small as can be, and
  -- without a key, since who writes a row has looked for it.
  CREATE TABLE @.prints (
    part smallint NOT NULL,
    url_part smallint NOT NULL,
    print integer NOT NULL,
    url_id bigint NOT NULL
  ) %prints;
  CREATE INDEX prints_of ON @.prints (print);

  -- For two hosts, the one with the smaller id first: paths that have the same page on both, and paths that do not.
  CREATE TABLE @.mirrors (
    first bigint NOT NULL,
    second bigint NOT NULL,
    same integer NOT NULL,
    different integer NOT NULL,
    PRIMARY KEY (first, second)
  );
  CREATE INDEX mirrors_second ON @.mirrors (second, first);

  -- The link lists of the pages of a part in a commit, or of several such rows that were joined (graph/segment.ts). The lists of the
  -- commits from first to seq may be in it. closed: the links are counted; a number that only grows, in the order of closing.
  CREATE TABLE @.graph (
    part smallint NOT NULL,
    seq bigint NOT NULL,
    first bigint NOT NULL,
    closed bigint,
    links integer NOT NULL,
    lists bytea NOT NULL,
    PRIMARY KEY (seq, part)
  );
  CREATE INDEX graph_open ON @.graph (part, seq) WHERE closed IS NULL;
  CREATE INDEX graph_closed ON @.graph (closed) WHERE closed IS NOT NULL;

  CREATE TABLE @.backlinks (block bigint PRIMARY KEY, counts bytea NOT NULL);
  CREATE TABLE @.page_ranks (block bigint PRIMARY KEY, ranks bytea NOT NULL);

  -- The first page of each content, by the first 16 bytes of its digest, from which its part comes. url_part: of the page.
  CREATE TABLE @.contents (
    part smallint NOT NULL,
    url_part smallint NOT NULL,
    digest uuid NOT NULL,
    url_id bigint NOT NULL,
    PRIMARY KEY (digest, part)
  ) %contents;

  -- owner, machine, folder: who wrote it, and where it lies. kept, kept_bytes: captures in the file and the length of their records;
  -- NULL while nobody has counted them.
  CREATE TABLE @.archive_files (
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

  CREATE TABLE @.captures (
    url_id bigint NOT NULL,
    part smallint NOT NULL,
    status smallint NOT NULL,
    revisit boolean NOT NULL,
    fetched_at bigint NOT NULL,
    file_id bigint NOT NULL,
    "offset" bigint NOT NULL,
    length bigint NOT NULL,
    content_type text NOT NULL,
    payload_digest text NOT NULL,
    PRIMARY KEY (url_id, fetched_at, part)
  ) %captures;
  CREATE INDEX captures_revisits ON @.captures (payload_digest) WHERE revisit;

  -- URLs with more than one capture. judge_from: 0 while they are to be judged; else from which time on a rule that keeps what was
  -- current since then would drop something.
  CREATE TABLE @.looked_again (part smallint NOT NULL, url_id bigint NOT NULL, judge_from bigint NOT NULL, PRIMARY KEY (url_id, part));

  -- Where a payload is now that revisit records refer to in a place it has left.
  CREATE TABLE @.moved_payloads (digest text PRIMARY KEY, url_id bigint NOT NULL, fetched_at bigint NOT NULL);

  -- pattern: the first 8 bytes of its SHA-256.
  CREATE TABLE @.patterns (
    part smallint NOT NULL,
    host_id bigint NOT NULL,
    pattern bytea NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (part, host_id, pattern)
  );

  -- verdict: the position in PARAMETER_VERDICTS.
  CREATE TABLE @.parameters (
    part smallint NOT NULL,
    id bigint NOT NULL,
    host_id bigint NOT NULL,
    space text NOT NULL,
    name text NOT NULL,
    verdict smallint NOT NULL DEFAULT 0,
    pairs integer NOT NULL DEFAULT 0,
    pages integer NOT NULL DEFAULT 0,
    audits integer NOT NULL DEFAULT 0,
    contradicted_by bigint,
    PRIMARY KEY (part, id)
  );
  CREATE UNIQUE INDEX parameters_name ON @.parameters (part, host_id, space, name);

  -- A base is a URL without the parameter, by the first 8 bytes of its key; bare: whether that URL itself was among the pages.
  CREATE TABLE @.parameter_bases (
    part smallint NOT NULL,
    parameter_id bigint NOT NULL,
    base bytea NOT NULL,
    essence bytea NOT NULL,
    digest bytea NOT NULL,
    pairs integer NOT NULL,
    bare boolean NOT NULL,
    PRIMARY KEY (part, parameter_id, base)
  );

  CREATE TABLE @.watchers (
    part smallint NOT NULL,
    host_id bigint NOT NULL,
    url text NOT NULL DEFAULT '',
    cursor text,
    asked_at bigint NOT NULL DEFAULT 0,
    read_at bigint NOT NULL DEFAULT 0,
    confirmed integer NOT NULL DEFAULT 0,
    false_alarms integer NOT NULL DEFAULT 0,
    missed integer NOT NULL DEFAULT 0,
    quiet integer NOT NULL DEFAULT 0,
    PRIMARY KEY (part, host_id)
  );

  -- mark: the position in WATCH_MARKS.
  CREATE TABLE @.watch_marks (
    part smallint NOT NULL,
    host_id bigint NOT NULL,
    url_id bigint NOT NULL,
    mark smallint NOT NULL,
    PRIMARY KEY (part, host_id, url_id)
  );
  ${WORKER_TABLES}
  `,
  `
  -- Captures that the archive cannot give back, as verify found.
  CREATE TABLE @.damaged_captures (
    url_id bigint NOT NULL,
    fetched_at bigint NOT NULL,
    found_at bigint NOT NULL,
    problem text NOT NULL,
    PRIMARY KEY (url_id, fetched_at)
  );
  `,
];
