/** The archive files of a data folder on the disk, to compare them before and after a command. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Name, length and digest of every file in the archive folder. */
export function filesOf(dir: string): Map<string, string> {
  const folder = join(dir, 'archive');
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return new Map(
    names.map((name) => {
      const bytes = readFileSync(join(folder, name));
      return [name, `${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`];
    }),
  );
}

/** The earlier files that are missing or different now. */
export function changedFiles(dir: string, before: ReadonlyMap<string, string>): string[] {
  const now = filesOf(dir);
  return [...before].filter(([name, facts]) => now.get(name) !== facts).map(([name]) => name);
}

/** Gives the archive files in a crawl.db the names of the files of another crawl. */
export function renameFilesIn(database: string, names: readonly string[]): void {
  const db = new DatabaseSync(database);
  const files = db.prepare('SELECT id FROM archive_files ORDER BY name').all();
  const rename = db.prepare('UPDATE archive_files SET name = ? WHERE id = ?');
  files.forEach(({ id }, i) => void rename.run(names[i]!, id!));
  db.close();
}
