/** Watchers of hosts, and the pages of theirs that are marked (store/watcher-records.ts). */
export const WATCHER_TABLES = `
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

  -- mark: the position in WATCH_MARKS. A page that its watcher covers, and that nothing is owed to, has no row.
  CREATE TABLE watch_marks (host_id INTEGER NOT NULL, url_id INTEGER NOT NULL, mark INTEGER NOT NULL, PRIMARY KEY (host_id, url_id))
  WITHOUT ROWID;
`;
