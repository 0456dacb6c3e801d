/** The entry point of the process that crawls. Like the command line, it keeps compiled code between runs. */
import { enableCompileCache } from 'node:module';

enableCompileCache();
await import('./run-job.ts');
