/**
 * Tests that marks are kept in memory only once, whatever is asked about them. There
 * may be as many marks as a site has pages.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../src/core/clock.ts';
import { SoleProcess } from '../../../src/crawl/process-role.ts';
import { WatchReader } from '../../../src/crawl/watchers/watch-reader.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { startWatchedSite } from '../../../testbed/web/watched-site.ts';
import { crawlHere } from '../crawl-here.ts';
import { dataFolder, edit as editStore } from '../stored-crawl.ts';
import { sessionSetup } from './session-setup.ts';

const MARKED = 200_000;

test('very many marks of a host are in memory once while its report is read, and all of them stay valid', async (t) => {
  const { site, edit } = await startWatchedSite(t, { pages: 3 });
  const dir = dataFolder(t);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s' });
  const firstId = 1_000;
  editStore(
    dir,
    `WITH RECURSIVE n (id) AS (SELECT ? UNION ALL SELECT id + 1 FROM n LIMIT ?)
     INSERT INTO watch_marks (host_id, url_id, mark) SELECT (SELECT host_id FROM watchers), id, id % 2 * 3 FROM n`,
    firstId,
    MARKED,
  );
  edit('/page/1', '<p>Told of, among all those.</p>');
  const store = openSqliteStore(dir, Date.now());
  let handedOut = 0;
  const counting = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'marks') return value.bind(target);
      return async (...asked: Parameters<typeof store.marks>) => {
        const marks = await target.marks(...asked);
        handedOut += marks.length;
        return marks;
      };
    },
  });
  const setup = sessionSetup(counting, new SoleProcess(store, systemClock), [site.web.url('/')]);
  try {
    const [host] = await new WatchReader(setup).readAll(await store.watchers(), 'refresh');
    // The store hands them out once before the report, and once with the changes of the report.
    assert.equal(handedOut, 2 * MARKED + 1);
    assert.deepEqual([host!.markOf(firstId), host!.markOf(firstId + MARKED - 1)], ['untold', 'unseen']);
    assert.equal([...host!.ordinaryPages.keys()].length, MARKED);
    assert.equal(host!.firstVisits().length, 1);
  } finally {
    await setup.fetcher.close();
    await store.close();
  }
});
