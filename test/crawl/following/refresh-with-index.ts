/**
 * The program that follow-killed-refreshes.ts runs and kills: a refresh with a follower of its own, which keeps an
 * index of the copy in a file. Words: the data folder, the file, and the options as JSON.
 */
import { appendFileSync } from 'node:fs';
import { startRefresh } from '../../../src/crawl/refresh.ts';
import { pagesAfter } from '../../../src/followers/sources.ts';
import type { UrlRecord } from '../../../src/store/contract.ts';

const [dir, file, given] = process.argv.slice(2) as [string, string, string];
const { summary } = startRefresh({
  dir,
  sources: [{ from: 'test', given: { patience: '0s', units: 1, ...JSON.parse(given) } }],
  followers: (store) => [
    {
      name: 'index',
      version: 1,
      source: pagesAfter(store),
      batchItems: 10,
      async follow(records: readonly UrlRecord[]) {
        appendFileSync(file, records.map(({ url, digest }) => `${JSON.stringify({ url, digest })}\n`).join(''));
        return {};
      },
    },
  ],
});
await summary;
