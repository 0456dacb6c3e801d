/** The entry of the document thread: reads one document after the other and answers each. */
import { parentPort } from 'node:worker_threads';
import type { DocumentJob } from './document-job.ts';
import { readJob } from './read-job.ts';

parentPort?.on('message', async (job: DocumentJob) => {
  parentPort?.postMessage(await readJob(job));
});
