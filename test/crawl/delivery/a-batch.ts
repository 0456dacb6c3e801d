/** A batch as a courier makes it, for tests of a single listener. */

import { describeChange } from '../../../src/crawl/delivery/delivered-change.ts';
import type { ChangeBatch } from '../../../src/crawl/delivery/listener.ts';
import { NO_RULES, readNewest } from '../../../src/crawl/delivery/read-batch.ts';
import { CHANGE_KINDS, type ChangeEntry } from '../../../src/store/contract.ts';
import { AT_MS, ChangeStore } from './change-store.ts';

export const COPY = { uuid: '6f9619ff-8b86-4011-b42d-00c04fc964ff', sinceMs: AT_MS };

export async function batchOf(entries: readonly ChangeEntry[], id = 'msg_1'): Promise<ChangeBatch> {
  const store = new ChangeStore();
  store.add(...entries);
  const changes = await Promise.all(entries.map((entry) => describeChange(store, entry)));
  const newest = (limit: number) => readNewest(store, { kinds: new Set(CHANGE_KINDS) }, limit, NO_RULES);
  return { id, copy: COPY, changes, newest };
}

/** A hostile page title: it tries to break a shell, a terminal, XML and JSON. */
export const NASTY =
  '$(touch pwned) `touch pwned`; touch pwned & "quoted" \'quoted\' \x1b[31m\x07\r\0 <b>&amp;]]> \ud800 \ufffe \u202eabc \u{1f577}';
