/** Which captures the archive cannot give back, as `verify --repair` found. */
import { DAMAGE_KEY } from '../record-rows.ts';

export const DAMAGE_TABLES = `
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

/** Of a capture as `c`: nobody found that the archive has lost it. */
export const IS_SOUND = `NOT EXISTS (SELECT 1 FROM damaged_captures d WHERE ${DAMAGE_KEY})`;
