/** Loaded before each test file of a whole `npm test`: the units of crawls in the test's own process are built ones. */
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import workerThreads, { type WorkerOptions } from 'node:worker_threads';
import { builtFolder } from './built-program.ts';

const SOURCE = new URL('../../src/crawl/unit/unit.ts', import.meta.url).href;

if (builtFolder !== undefined) {
  const built = pathToFileURL(join(builtFolder, 'unit.js'));
  const { Worker } = workerThreads;
  workerThreads.Worker = class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(String(file) === SOURCE ? built : file, options);
    }
  };
  syncBuiltinESMExports();
}
