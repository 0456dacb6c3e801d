/**
 * The test runs this file as a process. No file can be opened any more when the command
 * is to start. Prints why it did not start.
 */
import { openSync, writeSync } from 'node:fs';
import { systemClock } from '../../../src/core/clock.ts';
import { commandListener } from '../../../src/crawl/delivery/command-listener.ts';
import { DEFAULT_KINDS } from '../../../src/crawl/delivery/listener.ts';
import { batchOf } from './a-batch.ts';
import { change } from './change-store.ts';

const kinds = new Set(DEFAULT_KINDS);
const listener = commandListener({ command: 'true', kinds, timeoutMs: 1_000, clock: systemClock, say: () => {} });
const batch = await batchOf([change(1)]);
for (let isOpen = true; isOpen; ) {
  try {
    openSync('/dev/null', 'r');
  } catch {
    isOpen = false;
  }
}
try {
  await listener.deliver(batch, new AbortController().signal);
  writeSync(1, 'it arrived');
} catch (error) {
  writeSync(1, `${(error as Error).name}: ${(error as Error).message}`);
}
