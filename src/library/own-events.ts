/**
 * The events of one crawl among all of the process: a program may run several at once, and the channels are shared. What a
 * crawl does, its units' messages included, happens in the asynchronous context it was started in; that tells whose an
 * event is, without every publisher having to say so.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type CrawlEvents, listen } from '../core/events.ts';

const running = new AsyncLocalStorage<object>();

export function runAs<T>(owner: object, work: () => T): T {
  return running.run(owner, work);
}

/** Calls back for each event of the owner's until the returned function is called. */
export function listenToOwn<Name extends keyof CrawlEvents>(
  owner: object,
  name: Name,
  callback: (event: CrawlEvents[Name]) => void,
): () => void {
  return listen(name, (event) => {
    if (running.getStore() === owner) callback(event);
  });
}
