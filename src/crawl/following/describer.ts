/**
 * The entry point of the thread that describes changes. In: entries of the change log, one at a time. Out: their
 * descriptions as JSON, or whether they meet a condition of `--when`; null where the archive does not have the
 * versions.
 */
import { enableCompileCache } from 'node:module';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { DescriberStart, DescriberTask, FromDescriber, ToDescriber } from './describer-thread.ts';

enableCompileCache();
const { place, sizes, refresh, isHurried } = workerData as DescriberStart;
// On Linux a priority belongs to a thread. Elsewhere this call would slow down the whole process.
if (!isHurried && process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);
const [{ ChangeJudge }, { readStoreAt }, { meets }] = await Promise.all([
  import('../unit/change/change-judge.ts'),
  import('../place/open-store.ts'),
  import('../delivery/when/meets.ts'),
]);

const port = parentPort!;
const store = await readStoreAt(place);
const judge = new ChangeJudge({ place, places: store }, sizes, refresh);

port.on('message', async (message: ToDescriber) => {
  if (message === null) {
    await store.close();
    port.close();
    return;
  }
  port.postMessage(await answerTo(message));
});

async function answerTo({ url, atMs, when }: DescriberTask): Promise<FromDescriber> {
  try {
    if (when === null) return { change: await judge.describe(url, atMs) };
    const { before, after } = await judge.texts(url, atMs);
    return { isMet: after === null ? null : when.some((condition) => meets(condition, before, after)) };
  } catch (error) {
    return { failure: String((error as Error).message ?? error) };
  }
}
