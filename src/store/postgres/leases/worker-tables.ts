/** The tables of the workers of a crawl. `@.` stands for the schema of the crawl. */
export const WORKER_TABLES = `
CREATE TABLE @.workers (
  owner text PRIMARY KEY,
  name text NOT NULL,
  -- A number of a run, taken when it joins and each time it comes back from the dead.
  life bigint NOT NULL,
  -- Of one call to join, which may have to be made twice.
  token text NOT NULL UNIQUE,
  machine text NOT NULL,
  pid integer NOT NULL,
  archive_dir text NOT NULL,
  joined_at bigint NOT NULL,
  beat_at bigint NOT NULL,
  -- It is dead when so long has passed since its last beat.
  lease_ms bigint NOT NULL,
  -- Pages it may still add to the copy, where there is a limit.
  tickets bigint NOT NULL DEFAULT 0,
  is_asked_to_drain boolean NOT NULL DEFAULT false,
  news jsonb NOT NULL
);
CREATE TABLE @.cluster_state (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  notes_version bigint NOT NULL DEFAULT 0,
  -- The number of the last run of any worker, or of the last life of one.
  last_run bigint NOT NULL DEFAULT 0
);
INSERT INTO @.cluster_state DEFAULT VALUES;
`;
