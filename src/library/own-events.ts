/**
 * Selects the events of one crawl. A program may run several crawls in one process, and they share the channels.
 * Everything that a crawl does, including the messages of its units, happens in the asynchronous context in which it
 * was started. The context identifies the crawl of an event, so publishers need not name it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type CrawlEvents, listen } from '../core/events.ts';

const running = new AsyncLocalStorage<object>();

export function runAs<T>(owner: object, work: () => T): T {
  return running.run(owner, work);
}

/** Calls `callback` for each event of the owner until the returned function is called. */
export function listenToOwn<Name extends keyof CrawlEvents>(
  owner: object,
  name: Name,
  callback: (event: CrawlEvents[Name]) => void,
): () => void {
  return listen(name, (event) => {
    if (running.getStore() === owner) callback(event);
  });
}
