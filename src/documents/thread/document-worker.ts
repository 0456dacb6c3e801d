/** The entry of the document thread: reads one document after the other and answers each. */
import { parentPort } from 'node:worker_threads';
import type { DocumentJob } from './document-job.ts';
import { readJob } from './read-job.ts';

// The libraries print warnings about broken documents. Broken documents are ordinary. The option `stderr` of a thread
// would catch the warnings too, but it keeps the process alive after its work.
for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) console[level] = () => {};

parentPort?.on('message', async (job: DocumentJob) => {
  parentPort?.postMessage(await readJob(job));
});
