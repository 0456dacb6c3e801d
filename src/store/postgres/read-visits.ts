/** What planning and looking at pages again need to know (stub). */
import type { Store } from '../contract.ts';
import type { Engine } from './engine.ts';

export class VisitCalls
  implements
    Pick<Store, 'visits' | 'visitsOf' | 'revisits' | 'sources' | 'changes' | 'changesOf' | 'lastChange' | 'lastLookMs'>
{
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async visits(..._: Parameters<Store['visits']>): ReturnType<Store['visits']> {
    throw new Error('not yet: visits');
  }
  async visitsOf(..._: Parameters<Store['visitsOf']>): ReturnType<Store['visitsOf']> {
    throw new Error('not yet: visitsOf');
  }
  async revisits(..._: Parameters<Store['revisits']>): ReturnType<Store['revisits']> {
    throw new Error('not yet: revisits');
  }
  async sources(..._: Parameters<Store['sources']>): ReturnType<Store['sources']> {
    throw new Error('not yet: sources');
  }
  async changes(..._: Parameters<Store['changes']>): ReturnType<Store['changes']> {
    throw new Error('not yet: changes');
  }
  async changesOf(..._: Parameters<Store['changesOf']>): ReturnType<Store['changesOf']> {
    throw new Error('not yet: changesOf');
  }
  async lastChange(..._: Parameters<Store['lastChange']>): ReturnType<Store['lastChange']> {
    throw new Error('not yet: lastChange');
  }
  async lastLookMs(..._: Parameters<Store['lastLookMs']>): ReturnType<Store['lastLookMs']> {
    throw new Error('not yet: lastLookMs');
  }
}
