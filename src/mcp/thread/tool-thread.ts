/** The entry point of the thread in which tools run. Like the command line, it keeps compiled code between runs. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./answer-calls.ts');
