/** Tests that a refresh reports an edit of many pages once, also after a run that was killed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChanges } from '../../../src/cli/list-changes.ts';
import { refreshSentences } from '../../../src/cli/text/refresh-sentences.ts';
import type { ChangeClass } from '../../../src/core/page/change-class.ts';
import { beginEdits, endEdits, LEAST_PAGES } from '../../../src/crawl/refresh/shared-edits.ts';
import type { RefreshSummary } from '../../../src/crawl/refresh.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { at, copyOf } from '../../store/looking-again.ts';
import { dataFolder } from '../stored-crawl.ts';

const YEAR: ChangeClass = { level: 'content', part: 'template', edit: '0123456789abcdef' };
const PATHS = Array.from({ length: LEAST_PAGES + 2 }, (_, i) => `p${i}`);

async function copyIn(t: Parameters<typeof dataFolder>[0], dir = dataFolder(t)) {
  const store = openSqliteStore(dir, 0);
  t.after(() => store.close());
  return copyOf(store, Object.fromEntries(['seed', ...PATHS].map((path) => [path, { body: path }])));
}

test('an edit of many pages is reported once, and an edit of few pages is not', async (t) => {
  const dir = dataFolder(t);
  const copy = await copyIn(t, dir);
  const after = await beginEdits(copy.store);
  for (const path of PATHS.slice(0, LEAST_PAGES))
    await copy.look(path, 'changed', { body: `${path} 2`, classified: YEAR });
  const other = { ...YEAR, edit: 'fedcba9876543210' };
  for (const path of PATHS.slice(-2)) await copy.look(path, 'changed', { body: `${path} 2`, classified: other });
  const edits = await endEdits(copy.store, after);
  const examples = PATHS.slice(0, 5).map(at);
  assert.deepEqual(edits, [{ ...YEAR, pages: LEAST_PAGES, examples }]);
  assert.deepEqual(await endEdits(copy.store, await beginEdits(copy.store)), [], 'the next refresh begins after them');

  const lines = refreshSentences({ ...SUMMARY, edits }, await listChanges(dir, 0, edits), '');
  assert.deepEqual(lines.slice(1, 4), [
    `  the same edit on 10 pages (content, template), e.g. ${at('p0')}, ${at('p1')}`,
    `  changed  ${at('p10')}`,
    `  changed  ${at('p11')}`,
  ]);
});

test('the edits of a refresh that was killed count in the next one', async (t) => {
  const copy = await copyIn(t);
  await beginEdits(copy.store);
  const editSome = async (paths: readonly string[]) => {
    for (const path of paths) await copy.look(path, 'changed', { body: `${path} 2`, classified: YEAR });
  };
  await editSome(PATHS.slice(0, 6));
  const after = await beginEdits(copy.store);
  await editSome(PATHS.slice(6));
  const edits = await endEdits(copy.store, after);
  assert.deepEqual(
    edits.map(({ pages }) => pages),
    [PATHS.length],
  );
});

const SUMMARY = {
  ending: 'done',
  new: 0,
  changed: 12,
  changedBy: {},
  undescribed: 0,
  noise: 0,
  layout: 0,
  hidden: 0,
  unchanged: 0,
  reread: 0,
  moved: 0,
  gone: 0,
  failed: 0,
  refused: 0,
  left: 0,
  requests: 12,
  bytes: 0,
  fullCrawlBytes: 0,
  seconds: 1,
  undelivered: 0,
  dropped: 0,
  bytesFreed: 0,
  setAside: 0,
  troubles: {},
  peakRssMb: 0,
  watchers: [],
  sample: null,
  missing: 0,
  returned: 0,
  hostTroubles: [],
  edits: [],
  copies: { leftOut: 0, checked: 0, different: 0 },
} satisfies RefreshSummary;
