/**
 * The entry point of the thread that helps to index. In: parts of a batch. Out: a segment with their pages, when all
 * parts are read. It writes nothing.
 */
import { enableCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { SegmentBuilder } from '../../../search/index/segment-builder.ts';
import { readStoreAt } from '../../place/open-store.ts';
import type { FromMaker, MakerSetup, ToMaker } from './maker-thread.ts';
import { PageIndexer } from './page-indexer.ts';

enableCompileCache();
const { place, options, stop: stopFlag } = workerData as MakerSetup;
const port = parentPort!;
const stop = new Int32Array(stopFlag);
const builder = new SegmentBuilder();
const signals = {
  begin(): void {},
  end(): void {},
  isSharing: false,
  get isStopping(): boolean {
    return Atomics.load(stop, 0) !== 0;
  },
};
const store = await readStoreAt(place);
const indexer = new PageIndexer({ store, place, writer: builder, options, signals });

port.on('message', async (message: ToMaker) => {
  if (message === 'make') {
    const made = { ...builder.build(), found: indexer.found };
    indexer.begin();
    const moved = made.segment === null ? [] : [made.segment.bytes.buffer];
    port.postMessage(made satisfies FromMaker, moved);
    return;
  }
  // Without an answer, the other thread would wait for ever: a failure ends this thread.
  const isStopped = !(await indexer.index(message.ids, message.skip));
  port.postMessage({ isStopped } satisfies FromMaker);
});
port.postMessage({ isStopped: false } satisfies FromMaker);
