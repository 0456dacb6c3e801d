/** The link graph (stub). */
import type { Store } from '../contract.ts';
import type { Engine } from './engine.ts';

export class GraphCalls
  implements
    Pick<
      Store,
      | 'backlinks'
      | 'countLinks'
      | 'lastSegment'
      | 'segments'
      | 'linksTo'
      | 'linksToEach'
      | 'linksFrom'
      | 'redirectsTo'
      | 'setPageRanks'
      | 'pageRanks'
    >
{
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async backlinks(..._: Parameters<Store['backlinks']>): ReturnType<Store['backlinks']> {
    throw new Error('not yet: backlinks');
  }
  async countLinks(..._: Parameters<Store['countLinks']>): ReturnType<Store['countLinks']> {
    throw new Error('not yet: countLinks');
  }
  async lastSegment(..._: Parameters<Store['lastSegment']>): ReturnType<Store['lastSegment']> {
    throw new Error('not yet: lastSegment');
  }
  async segments(..._: Parameters<Store['segments']>): ReturnType<Store['segments']> {
    throw new Error('not yet: segments');
  }
  async linksTo(..._: Parameters<Store['linksTo']>): ReturnType<Store['linksTo']> {
    throw new Error('not yet: linksTo');
  }
  async linksToEach(..._: Parameters<Store['linksToEach']>): ReturnType<Store['linksToEach']> {
    throw new Error('not yet: linksToEach');
  }
  async linksFrom(..._: Parameters<Store['linksFrom']>): ReturnType<Store['linksFrom']> {
    throw new Error('not yet: linksFrom');
  }
  async redirectsTo(..._: Parameters<Store['redirectsTo']>): ReturnType<Store['redirectsTo']> {
    throw new Error('not yet: redirectsTo');
  }
  async setPageRanks(..._: Parameters<Store['setPageRanks']>): ReturnType<Store['setPageRanks']> {
    throw new Error('not yet: setPageRanks');
  }
  async pageRanks(..._: Parameters<Store['pageRanks']>): ReturnType<Store['pageRanks']> {
    throw new Error('not yet: pageRanks');
  }
}
