import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readWithWarcio } from '../archive/independent-reader.ts';

/** The URLs of all response and revisit records of a crawl's archive, one entry a record, read to the last byte by warcio. */
export async function archivedUrls(dir: string): Promise<string[]> {
  const folder = join(dir, 'archive');
  const urls: string[] = [];
  for (const file of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const records = await readWithWarcio(join(folder, file));
    assert.equal(records[0]?.type, 'warcinfo', file);
    for (const { type, warc } of records) {
      if (type === 'response' || type === 'revisit') urls.push(warc.get('warc-target-uri')!);
    }
  }
  return urls;
}
