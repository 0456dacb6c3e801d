/**
 * The crash safety test runs this file as a process. It visits the pages of a small copy again, which have all changed,
 * and tells a webhook. Arguments: the folder, the address, and the number of its own delivered batches after which it
 * kills itself before the cursor moves (0 means never).
 */
import { systemClock } from '../../../src/core/clock.ts';
import { Delivery } from '../../../src/crawl/delivery/delivery.ts';
import type { Listener } from '../../../src/crawl/delivery/listener.ts';
import { listenersFrom } from '../../../src/crawl/delivery/listeners-from.ts';
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { at, copyOf, HOUR_MS, LookedAt } from '../../store/looking-again.ts';
import { NOW_MS, OWNER } from '../../store/rows.ts';

const [dir = '', webhook = '', deadAfter = '0'] = process.argv.slice(2);
const LOOKS = 16;

const store = openSqliteStore(dir, NOW_MS);
if ((await store.lastChange()) === 0) await copyOf(store, { a: { body: 'a' }, b: { body: 'b' }, c: { body: 'c' } });
const known = await store.urls(0, 10);
const ids = new Map(known.map(({ url, id }) => [url.slice(at('').length), id]));
const copy = new LookedAt(store, 1, ids);
copy.nowMs = NOW_MS + (await store.lastChange()) * HOUR_MS;
await store.lease({ owner: OWNER, hostIds: [1], nowMs: copy.nowMs, leaseMs: 1e9 });

const [posting] = listenersFrom({ webhook, webhookSecret: 'a secret that only the test knows' });
let arrived = 0;
const listener: Listener = {
  ...posting!,
  limits: { maxChanges: 3, maxBytes: 100_000, gatherMs: 0 },
  async deliver(batch, signal) {
    await posting!.deliver(batch, signal);
    if (++arrived === Number(deadAfter)) process.kill(process.pid, 'SIGKILL');
  },
};
const delivery = await Delivery.open(store, [listener], systemClock);
for (let look = 0; look < LOOKS; look++) {
  const path = ['a', 'b', 'c'][look % 3]!;
  const body = `${path} ${await store.lastChange()}`;
  const state = await copy.look(path, look % 5 === 4 ? 'noise' : 'changed', { body, change: '{"kinds":["text"]}' });
  if (state === null) throw new Error('the look did not count');
  delivery.wake();
}
const report = await delivery.finish(20_000);
await store.close();
process.stdout.write(JSON.stringify(report));
