/** The entry point of a crawler unit's thread. Like the command line, it keeps compiled code between runs. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./unit-stages.ts');
