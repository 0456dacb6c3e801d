/** The queues (stub). */
import type { Store } from '../contract.ts';
import type { Engine } from './engine.ts';

export class QueueCalls implements Pick<Store, 'waiting' | 'waitingAfter' | 'rerank'> {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async waiting(..._: Parameters<Store['waiting']>): ReturnType<Store['waiting']> {
    throw new Error('not yet: waiting');
  }
  async waitingAfter(..._: Parameters<Store['waitingAfter']>): ReturnType<Store['waitingAfter']> {
    throw new Error('not yet: waitingAfter');
  }
  async rerank(..._: Parameters<Store['rerank']>): ReturnType<Store['rerank']> {
    throw new Error('not yet: rerank');
  }
}
