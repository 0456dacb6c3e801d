/**
 * The test runs this file as a process. It starts a command that never ends and exits at once, as a second Ctrl-C does.
 */
import { systemClock } from '../../../src/core/clock.ts';
import { commandListener } from '../../../src/crawl/delivery/command-listener.ts';
import { DEFAULT_KINDS } from '../../../src/crawl/delivery/listener.ts';
import { batchOf } from './a-batch.ts';
import { change } from './change-store.ts';

const listener = commandListener({
  command: 'sleep 60 & echo $!; wait',
  kinds: new Set(DEFAULT_KINDS),
  timeoutMs: 60_000,
  clock: systemClock,
  say(line) {
    console.log(line.replace('on-change: ', ''));
    process.exit(11);
  },
});
await listener.deliver(await batchOf([change(1)]), new AbortController().signal);
