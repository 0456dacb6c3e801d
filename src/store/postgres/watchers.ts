/** Watchers of hosts (stub). */
import type { Store } from '../contract.ts';
import type { Engine } from './engine.ts';

export class WatcherCalls implements Pick<Store, 'watchers' | 'noteWatcher' | 'marks' | 'knownPages' | 'hostPages'> {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async watchers(..._: Parameters<Store['watchers']>): ReturnType<Store['watchers']> {
    throw new Error('not yet: watchers');
  }
  async noteWatcher(..._: Parameters<Store['noteWatcher']>): ReturnType<Store['noteWatcher']> {
    throw new Error('not yet: noteWatcher');
  }
  async marks(..._: Parameters<Store['marks']>): ReturnType<Store['marks']> {
    throw new Error('not yet: marks');
  }
  async knownPages(..._: Parameters<Store['knownPages']>): ReturnType<Store['knownPages']> {
    throw new Error('not yet: knownPages');
  }
  async hostPages(..._: Parameters<Store['hostPages']>): ReturnType<Store['hostPages']> {
    throw new Error('not yet: hostPages');
  }
}
