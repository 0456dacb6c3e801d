import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { readWithWarcio } from '../archive/independent-reader.ts';

/**
 * Returns the URLs of all response and revisit records in the archive files that the crawl knows, one entry per record.
 * warcio reads the files to the last byte. A crash may leave files that the crawl does not know; they are kept. The
 * usual place of a sitemap is left out, because no page names it.
 */
export async function archivedUrls(dir: string): Promise<string[]> {
  const folder = join(dir, 'archive');
  const urls: string[] = [];
  const store = readSqliteStore(dir);
  const known = [...(await store.archiveFiles()).keys()];
  await store.close();
  for (const file of known.sort()) {
    const records = await readWithWarcio(join(folder, file));
    assert.equal(records[0]?.type, 'warcinfo', file);
    for (const { type, warc } of records) {
      if (type === 'response' || type === 'revisit') urls.push(warc.get('warc-target-uri')!);
    }
  }
  return urls.filter((url) => !url.endsWith('/sitemap.xml'));
}
