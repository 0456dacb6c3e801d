/** Where the archive keeps what (stub). */
import type { Store } from '../contract.ts';
import type { Engine } from './engine.ts';

export class CaptureCalls
  implements
    Pick<
      Store,
      | 'capturesOf'
      | 'captures'
      | 'payloads'
      | 'archiveFiles'
      | 'forgetCaptures'
      | 'superfluousCaptures'
      | 'dropCaptures'
      | 'wastefulFiles'
      | 'revisitsAlone'
      | 'capturesIn'
      | 'moveCaptures'
      | 'payloadPlace'
    >
{
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async capturesOf(..._: Parameters<Store['capturesOf']>): ReturnType<Store['capturesOf']> {
    throw new Error('not yet: capturesOf');
  }
  // biome-ignore lint/correctness/useYield: not yet.
  async *captures(..._: Parameters<Store['captures']>): ReturnType<Store['captures']> {
    throw new Error('not yet: captures');
  }
  async payloads(..._: Parameters<Store['payloads']>): ReturnType<Store['payloads']> {
    throw new Error('not yet: payloads');
  }
  async archiveFiles(..._: Parameters<Store['archiveFiles']>): ReturnType<Store['archiveFiles']> {
    throw new Error('not yet: archiveFiles');
  }
  async forgetCaptures(..._: Parameters<Store['forgetCaptures']>): ReturnType<Store['forgetCaptures']> {
    throw new Error('not yet: forgetCaptures');
  }
  async superfluousCaptures(..._: Parameters<Store['superfluousCaptures']>): ReturnType<Store['superfluousCaptures']> {
    throw new Error('not yet: superfluousCaptures');
  }
  async dropCaptures(..._: Parameters<Store['dropCaptures']>): ReturnType<Store['dropCaptures']> {
    throw new Error('not yet: dropCaptures');
  }
  async wastefulFiles(..._: Parameters<Store['wastefulFiles']>): ReturnType<Store['wastefulFiles']> {
    throw new Error('not yet: wastefulFiles');
  }
  async revisitsAlone(..._: Parameters<Store['revisitsAlone']>): ReturnType<Store['revisitsAlone']> {
    throw new Error('not yet: revisitsAlone');
  }
  async capturesIn(..._: Parameters<Store['capturesIn']>): ReturnType<Store['capturesIn']> {
    throw new Error('not yet: capturesIn');
  }
  async moveCaptures(..._: Parameters<Store['moveCaptures']>): ReturnType<Store['moveCaptures']> {
    throw new Error('not yet: moveCaptures');
  }
  async payloadPlace(..._: Parameters<Store['payloadPlace']>): ReturnType<Store['payloadPlace']> {
    throw new Error('not yet: payloadPlace');
  }
}
