/** The setup for requests to watchers, as a refresh with default options makes it. */
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { resolveOptions } from '../../../src/core/options/options.ts';
import { privateRuleOf } from '../../../src/crawl/private-seeds.ts';
import type { HostSessionSetup } from '../../../src/crawl/watchers/host-session.ts';
import { hostSessionSetup, type WatchersSetup } from '../../../src/crawl/watchers/watcher-run.ts';
import type { Store } from '../../../src/store/contract.ts';

export function sessionSetup(
  store: Store,
  role: HostSessionSetup['role'],
  seeds: readonly string[],
  { clock = systemClock, shared }: { clock?: Clock; shared?: WatchersSetup['shared'] } = {},
): HostSessionSetup {
  const options = resolveOptions([{ from: 'test', given: {} }]);
  const privateRule = privateRuleOf([], true);
  const given = { store, role, clock, options, seeds, lessons: [], privateRule, unit: null, ...(shared && { shared }) };
  return hostSessionSetup({ ...given, rank: () => {}, learned: () => {} });
}
