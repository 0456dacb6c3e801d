/** The entry of a crawler unit's thread; keeps compiled code between runs, as the command line does. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./unit-stages.ts');
