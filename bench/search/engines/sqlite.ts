/** SQLite FTS5 as an engine of the search benchmark. It keeps no copy of the documents. */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type QueryKind, TOP } from '../choose-queries.ts';
import { type Answer, runEngine } from './serve.ts';

const FILE = 'fts.db';

await runEngine({
  index(documents, folder) {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, FILE);
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;
      CREATE VIRTUAL TABLE pages USING fts5(title, text, content = '', tokenize = 'porter unicode61')`);
    const insert = db.prepare('INSERT INTO pages (rowid, title, text) VALUES (?, ?, ?)');
    db.exec('BEGIN');
    for (const { id, title, text } of documents) {
      insert.run(id, title, text);
      if (id % 1_000 === 0) db.exec('COMMIT; BEGIN');
    }
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    return statSync(path).size;
  },
  open(folder): Answer {
    const db = new DatabaseSync(join(folder, FILE), { readOnly: true });
    const select = db.prepare(`SELECT rowid FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT ${TOP}`);
    return (kind, words) => select.all(queryText(kind, words)).length;
  },
});

function queryText(kind: QueryKind, words: readonly string[]): string {
  const quoted = words.map((word) => `"${word}"`);
  switch (kind) {
    case 'and':
      return quoted.join(' AND ');
    case 'phrase':
    case 'frequent phrase':
      return `"${words.join(' ')}"`;
    case 'near':
      return `NEAR(${quoted.join(' ')}, 5)`;
    case 'prefix':
      return `${quoted[0]} *`;
    case 'intitle':
      return `title : ${quoted[0]}`;
    case 'not':
      return quoted.join(' NOT ');
    default:
      return quoted.join(' OR ');
  }
}
