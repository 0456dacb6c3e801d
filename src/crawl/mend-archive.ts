import { cutArchive } from '../archive/recover.ts';
import { systemClock } from '../core/clock.ts';
import { publish } from '../core/events.ts';
import type { Store } from '../store/contract.ts';

/** The database is the truth: what the archive has beyond it is cut off, what the archive lost is fetched again. */
export async function mendArchive(store: Store, archiveDir: string): Promise<void> {
  const { cut, missing } = cutArchive(archiveDir, await store.archiveFiles());
  for (const { file, fromBytes, toBytes } of cut) {
    publish('crawl/warning', {
      message: `${file}: ${fromBytes - toBytes} bytes written before a crash and not committed were cut off`,
    });
  }
  for (const { file, readableToBytes } of missing) {
    const lost = await store.forgetCaptures(file, readableToBytes, systemClock.now());
    publish('crawl/warning', { message: `${file} lost its end; ${lost} pages are fetched again` });
  }
}
