/** What is made known, and let wait: seeds, lessons about parameters, deeper URLs, another topic (stub). */
import type { FoundUrl, Store } from '../contract.ts';
import type { Engine } from './engine.ts';

export class Known implements Pick<Store, 'seed' | 'lessons' | 'dropLessons' | 'allowDepth' | 'forgetTopic'> {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async seed(found: readonly FoundUrl[], nowMs: number): Promise<readonly number[]> {
    const finds = found.map((each) => ({ found: each, via: null }));
    const { ids } = await this.engine.discovery.makeKnown(finds, Infinity, nowMs);
    return found.map((each) => ids.get(each)!);
  }

  async lessons(..._: Parameters<Store['lessons']>): ReturnType<Store['lessons']> {
    throw new Error('not yet: lessons');
  }
  async dropLessons(..._: Parameters<Store['dropLessons']>): ReturnType<Store['dropLessons']> {
    throw new Error('not yet: dropLessons');
  }
  async allowDepth(..._: Parameters<Store['allowDepth']>): ReturnType<Store['allowDepth']> {
    throw new Error('not yet: allowDepth');
  }
  async forgetTopic(..._: Parameters<Store['forgetTopic']>): ReturnType<Store['forgetTopic']> {
    throw new Error('not yet: forgetTopic');
  }
}
