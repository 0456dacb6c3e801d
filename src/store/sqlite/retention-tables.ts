/**
 * What retention needs to know without reading all captures: which URLs have several, which payloads others refer to, and how
 * much of each archive file is still needed.
 */
export const RETENTION_TABLES = `
  -- URLs with more than one capture. judge_from: 0 while they are to be judged; else from which time on a rule that keeps
  -- what was current since then would drop something.
  CREATE TABLE looked_again (url_id INTEGER PRIMARY KEY, judge_from INTEGER NOT NULL);
  INSERT INTO looked_again SELECT url_id, 0 FROM captures GROUP BY url_id HAVING count(*) > 1;
  CREATE TRIGGER captures_again BEFORE INSERT ON captures WHEN EXISTS (SELECT 1 FROM captures WHERE url_id = NEW.url_id)
  BEGIN
    INSERT INTO looked_again VALUES (NEW.url_id, 0) ON CONFLICT (url_id) DO UPDATE SET judge_from = 0;
  END;

  CREATE INDEX captures_revisits ON captures (payload_digest) WHERE revisit = 1;

  -- Where a payload is now that revisit records refer to in a place it has left.
  CREATE TABLE moved_payloads (digest TEXT PRIMARY KEY, url_id INTEGER NOT NULL, fetched_at INTEGER NOT NULL) WITHOUT ROWID;

  -- kept, kept_bytes: captures in the file and the length of their records; NULL while nobody has counted them.
  ALTER TABLE archive_files ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE archive_files ADD COLUMN dropped_bytes INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE archive_files ADD COLUMN kept INTEGER;
  ALTER TABLE archive_files ADD COLUMN kept_bytes INTEGER;
`;
