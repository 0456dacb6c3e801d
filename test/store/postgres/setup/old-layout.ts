/**
 * The statements that created a crawl in layout 1 and 2, as the released versions sent them. They never change. Each
 * row had a part, a hash of its host's name, and the large tables had a partition for each part.
 */
import type { Database } from '../../../../src/store/postgres/connection/database.ts';

/** `@.` stands for the schema, and `%cut` for the clause of a table with partitions. */
const LAYOUTS = [
  `
  CREATE TABLE @.notes (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE @.totals (slot smallint NOT NULL, name text NOT NULL, value bigint NOT NULL, PRIMARY KEY (slot,
    name));
  CREATE TABLE @.marks (mark uuid PRIMARY KEY, made_at timestamptz NOT NULL DEFAULT now());
  CREATE SEQUENCE @.url_ids INCREMENT BY 1000;
  CREATE SEQUENCE @.host_numbers;
  CREATE SEQUENCE @.parameter_ids;
  CREATE SEQUENCE @.file_ids;
  CREATE SEQUENCE @.graph_seqs;
  CREATE SEQUENCE @.change_seqs;
  CREATE SEQUENCE @.closings;
  CREATE TABLE @.hosts ( id bigint NOT NULL, part smallint NOT NULL, host text NOT NULL, slot smallint NOT NULL,
    ready_at bigint, lease_owner text, asked_at bigint NOT NULL DEFAULT 0, delay_ms double precision,
    blocked_until bigint NOT NULL DEFAULT 0, waiting bigint NOT NULL DEFAULT 0, fetched bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0, robots_status integer, robots_body bytea, robots_at bigint, PRIMARY KEY (id,
    part), UNIQUE (host, part) ) %cut;
  CREATE INDEX hosts_ready ON @.hosts (ready_at) WHERE ready_at IS NOT NULL;
  CREATE INDEX hosts_leased ON @.hosts (lease_owner) WHERE lease_owner IS NOT NULL;
  CREATE TABLE @.host_shares ( part smallint NOT NULL, host_id bigint NOT NULL, share smallint NOT NULL, shares
    smallint NOT NULL, ready_at bigint NOT NULL, lease_owner text, PRIMARY KEY (part, host_id, share) );
  CREATE TABLE @.urls ( id bigint NOT NULL, part smallint NOT NULL, state smallint NOT NULL, hops smallint NOT
    NULL, depth integer NOT NULL, host_id bigint NOT NULL, key uuid NOT NULL, rank double precision NOT NULL,
    failures integer NOT NULL DEFAULT 0, steps_off integer, due_at bigint, relevance double precision, inherited
    double precision, via bigint, redirect_to bigint, stand_in bigint, reason text, url text NOT NULL, original
    text, PRIMARY KEY (id, part) ) %cut;
  CREATE INDEX urls_waiting ON @.urls (host_id, rank, id) WHERE state = 0 AND due_at IS NULL;
  CREATE INDEX urls_due ON @.urls (host_id, due_at) WHERE state = 0 AND due_at IS NOT NULL;
  CREATE INDEX urls_stand_in ON @.urls (host_id, stand_in) WHERE stand_in IS NOT NULL;
  CREATE INDEX urls_too_deep ON @.urls (depth) WHERE reason = 'too-deep';
  CREATE INDEX urls_redirect_to ON @.urls (redirect_to) WHERE redirect_to IS NOT NULL;
  CREATE TABLE @.pages ( url_id bigint NOT NULL, part smallint NOT NULL, noindex boolean NOT NULL, outlinks
    integer NOT NULL, bytes bigint NOT NULL, digest bytea NOT NULL, canonical bigint, duplicate_of bigint,
    relevance double precision, graph_seq bigint NOT NULL, near_of bigint, similarity double precision, title text
    NOT NULL, language text NOT NULL, etag text, last_modified text, sketch bytea, PRIMARY KEY (url_id, part) )
    %cut;
  CREATE INDEX pages_of_content ON @.pages (digest, url_id) WHERE duplicate_of = 0;
  CREATE INDEX pages_of_canonical ON @.pages (duplicate_of) WHERE duplicate_of > 0;
  CREATE INDEX pages_near ON @.pages (near_of) WHERE near_of IS NOT NULL;
  CREATE TABLE @.visits ( url_id bigint NOT NULL, part smallint NOT NULL, kind smallint NOT NULL, is_source
    boolean NOT NULL, depth integer NOT NULL, host_id bigint NOT NULL, pattern double precision NOT NULL,
    checked_at bigint NOT NULL, checks integer NOT NULL DEFAULT 0, streak integer NOT NULL DEFAULT 0, failures
    integer NOT NULL DEFAULT 0, changes double precision NOT NULL DEFAULT 0, changed_log double precision NOT NULL
    DEFAULT 0, quiet_ms double precision NOT NULL DEFAULT 0, interval_ms double precision NOT NULL DEFAULT 0,
    not_before bigint NOT NULL DEFAULT 0, claimed_at bigint NOT NULL DEFAULT 0, claim_seen bigint NOT NULL DEFAULT
    0, orphaned_at bigint, trouble text, PRIMARY KEY (url_id, part) ) %cut;
  CREATE INDEX visits_orphaned ON @.visits (url_id) WHERE orphaned_at IS NOT NULL;
  CREATE TABLE @.claims (part smallint NOT NULL, url_id bigint NOT NULL, claimed_at bigint NOT NULL, PRIMARY KEY
    (part, url_id));
  CREATE TABLE @.sources ( part smallint NOT NULL, host_id bigint NOT NULL, confirmed integer NOT NULL,
    false_alarms integer NOT NULL, missed integer NOT NULL, quiet integer NOT NULL, PRIMARY KEY (part, host_id) );
  CREATE TABLE @.changes ( part smallint NOT NULL, seq bigint NOT NULL, url_id bigint NOT NULL, at bigint NOT
    NULL, kind smallint NOT NULL, reason text, title text NOT NULL, change text, PRIMARY KEY (seq, part) );
  CREATE INDEX changes_of_url ON @.changes (url_id, seq);
  CREATE TABLE @.prints ( part smallint NOT NULL, url_part smallint NOT NULL, print integer NOT NULL, url_id
    bigint NOT NULL ) %cut;
  CREATE INDEX prints_of ON @.prints (print);
  CREATE TABLE @.mirrors ( first bigint NOT NULL, second bigint NOT NULL, same integer NOT NULL, different integer
    NOT NULL, PRIMARY KEY (first, second) );
  CREATE INDEX mirrors_second ON @.mirrors (second, first);
  CREATE TABLE @.graph ( part smallint NOT NULL, seq bigint NOT NULL, first bigint NOT NULL, closed bigint, links
    integer NOT NULL, lists bytea NOT NULL, PRIMARY KEY (seq, part) );
  CREATE INDEX graph_open ON @.graph (part, seq) WHERE closed IS NULL;
  CREATE INDEX graph_closed ON @.graph (closed) WHERE closed IS NOT NULL;
  CREATE TABLE @.backlinks (block bigint PRIMARY KEY, counts bytea NOT NULL);
  CREATE TABLE @.page_ranks (block bigint PRIMARY KEY, ranks bytea NOT NULL);
  CREATE TABLE @.contents ( part smallint NOT NULL, url_part smallint NOT NULL, digest uuid NOT NULL, url_id
    bigint NOT NULL, PRIMARY KEY (digest, part) ) %cut;
  CREATE TABLE @.archive_files ( id bigint PRIMARY KEY, name text NOT NULL UNIQUE, bytes bigint NOT NULL, owner
    text NOT NULL DEFAULT '', machine text NOT NULL DEFAULT '', folder text NOT NULL DEFAULT '', dropped bigint
    NOT NULL DEFAULT 0, dropped_bytes bigint NOT NULL DEFAULT 0, kept bigint, kept_bytes bigint );
  CREATE TABLE @.captures ( url_id bigint NOT NULL, part smallint NOT NULL, status smallint NOT NULL, revisit
    boolean NOT NULL, fetched_at bigint NOT NULL, file_id bigint NOT NULL, "offset" bigint NOT NULL, length bigint
    NOT NULL, content_type text NOT NULL, payload_digest text NOT NULL, PRIMARY KEY (url_id, fetched_at, part) )
    %cut;
  CREATE INDEX captures_revisits ON @.captures (payload_digest) WHERE revisit;
  CREATE TABLE @.looked_again (part smallint NOT NULL, url_id bigint NOT NULL, judge_from bigint NOT NULL, PRIMARY
    KEY (url_id, part));
  CREATE TABLE @.moved_payloads (digest text PRIMARY KEY, url_id bigint NOT NULL, fetched_at bigint NOT NULL);
  CREATE TABLE @.patterns ( part smallint NOT NULL, host_id bigint NOT NULL, pattern bytea NOT NULL, count bigint
    NOT NULL, PRIMARY KEY (part, host_id, pattern) );
  CREATE TABLE @.parameters ( part smallint NOT NULL, id bigint NOT NULL, host_id bigint NOT NULL, space text NOT
    NULL, name text NOT NULL, verdict smallint NOT NULL DEFAULT 0, pairs integer NOT NULL DEFAULT 0, pages integer
    NOT NULL DEFAULT 0, audits integer NOT NULL DEFAULT 0, contradicted_by bigint, PRIMARY KEY (part, id) );
  CREATE UNIQUE INDEX parameters_name ON @.parameters (part, host_id, space, name);
  CREATE TABLE @.parameter_bases ( part smallint NOT NULL, parameter_id bigint NOT NULL, base bytea NOT NULL,
    essence bytea NOT NULL, digest bytea NOT NULL, pairs integer NOT NULL, bare boolean NOT NULL, PRIMARY KEY
    (part, parameter_id, base) );
  CREATE TABLE @.watchers ( part smallint NOT NULL, host_id bigint NOT NULL, url text NOT NULL DEFAULT '', cursor
    text, asked_at bigint NOT NULL DEFAULT 0, read_at bigint NOT NULL DEFAULT 0, confirmed integer NOT NULL
    DEFAULT 0, false_alarms integer NOT NULL DEFAULT 0, missed integer NOT NULL DEFAULT 0, quiet integer NOT NULL
    DEFAULT 0, PRIMARY KEY (part, host_id) );
  CREATE TABLE @.watch_marks ( part smallint NOT NULL, host_id bigint NOT NULL, url_id bigint NOT NULL, mark
    smallint NOT NULL, PRIMARY KEY (part, host_id, url_id) );
  CREATE TABLE @.workers ( owner text
    PRIMARY KEY, name text NOT NULL, life bigint NOT NULL, token text NOT NULL UNIQUE, machine text NOT NULL, pid
    integer NOT NULL, archive_dir text NOT NULL, joined_at bigint NOT NULL, beat_at bigint NOT NULL, lease_ms
    bigint NOT NULL, tickets bigint NOT NULL DEFAULT 0, is_asked_to_drain boolean NOT NULL DEFAULT false, news
    jsonb NOT NULL );
  CREATE TABLE @.cluster_state ( only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row), notes_version bigint
    NOT NULL DEFAULT 0, last_run bigint NOT NULL DEFAULT 0 );
  INSERT INTO @.cluster_state DEFAULT VALUES;
  `,
  `
  CREATE TABLE @.damaged_captures ( url_id bigint NOT NULL, fetched_at bigint NOT NULL, found_at bigint NOT NULL,
    problem text NOT NULL, PRIMARY KEY (url_id, fetched_at) );
  `,
];

const PARTITIONED = ['hosts', 'urls', 'pages', 'visits', 'captures', 'contents', 'prints'];

export async function createOldTables(db: Database, version: number, parts: number): Promise<void> {
  const { schema } = db;
  await db.run(`CREATE SCHEMA ${schema}`);
  await db.run(`CREATE TABLE ${schema}.layout (version integer NOT NULL, parts integer NOT NULL)`);
  await db.run(`INSERT INTO ${schema}.layout VALUES ($1, $2)`, [version, parts]);
  const text = LAYOUTS.slice(0, version).join('').replaceAll('@.', `${schema}.`);
  for (const statement of text.replaceAll('%cut', 'PARTITION BY LIST (part)').split(';')) {
    if (statement.trim() !== '') await db.run(statement);
  }
  for (let part = 0; part < parts; part++) {
    for (const table of PARTITIONED) {
      await db.run(
        `CREATE TABLE ${schema}.${table}_${part} PARTITION OF ${schema}.${table} FOR VALUES IN (${part})
         WITH (fillfactor = 90)`,
      );
    }
    await db.run(`CREATE UNIQUE INDEX urls_${part}_key ON ${schema}.urls_${part} (host_id, key)`);
  }
}
