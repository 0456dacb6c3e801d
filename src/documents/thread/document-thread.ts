/**
 * A thread that reads documents from strangers, with limits that hold whatever the document does. In: jobs, one at a
 * time. Out: one answer each. The thread starts with the first job, is reused, does not keep the process alive, and is
 * replaced after it broke a limit.
 *
 * V8 limits only the heap of JavaScript. Buffers are outside, and a bomb fills buffers. So the thread is asked twenty
 * times a second for its CPU time and for all of its memory; it answers between two instructions, also from a loop.
 */
import { Worker } from 'node:worker_threads';
import { type DocumentFailure, LIMITS } from '../document-content.ts';
import type { DocumentAnswer, DocumentJob, DocumentRequest } from './document-job.ts';

const CHECK_EVERY_MS = 50;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 150, maxYoungGenerationSizeMb: 16 };

export class DocumentThread {
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** Waits for the jobs before. The limits of time count from the beginning of this job. */
  read(request: DocumentRequest): Promise<DocumentAnswer> {
    const answer = this.#last.then(() => this.#run(request));
    this.#last = answer;
    return answer;
  }

  async close(): Promise<void> {
    await this.#last;
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #run({ bytes, ...request }: DocumentRequest): Promise<DocumentAnswer> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const { promise, resolve } = Promise.withResolvers<DocumentAnswer>();
    const fail = (reason: DocumentFailure): void => resolve({ reason });
    const onError = (error: unknown): void => {
      fail((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too-much-memory' : 'damaged');
    };
    const onExit = (): void => fail('damaged');
    let isAnswered = false;
    const onMessage = (answer: DocumentAnswer): void => {
      isAnswered = true;
      resolve(answer);
    };
    worker.once('message', onMessage).once('error', onError).once('exit', onExit);
    worker.ref();
    // A copy, because the buffer moves to the thread and the caller still needs its own.
    const job: DocumentJob = { ...request, bytes: new Uint8Array(bytes).buffer };
    worker.postMessage(job, [job.bytes]);
    const stopWatching = watch(worker, fail);
    try {
      return await promise;
    } finally {
      stopWatching();
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      if (!isAnswered) {
        this.#worker = null;
        await worker.terminate();
      }
    }
  }

  #start(): Worker {
    // In the bundle, all files are in one folder.
    const entry = import.meta.url.endsWith('.ts') ? './document-worker.ts' : './document-worker.js';
    const worker = new Worker(new URL(entry, import.meta.url), { resourceLimits: RESOURCE_LIMITS });
    // A thread that ends between two jobs is replaced by the next one.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}

function watch(worker: Worker, fail: (reason: DocumentFailure) => void): () => void {
  const beganMs = performance.now();
  let first: NodeJS.CpuUsage | null = null;
  let isAsking = false;
  const check = async (): Promise<void> => {
    if (performance.now() - beganMs > LIMITS.elapsedMs) fail('too-slow');
    if (isAsking) return;
    isAsking = true;
    const [cpu, heap] = await Promise.all([worker.cpuUsage(), worker.getHeapStatistics()]).catch(() => [null, null]);
    isAsking = false;
    if (cpu === null || heap === null) return;
    // The thread used this CPU time for earlier documents and for its start.
    first ??= cpu;
    if ((cpu.user + cpu.system - first.user - first.system) / 1_000 > LIMITS.cpuMs) fail('too-slow');
    if (heap.used_heap_size + heap.external_memory > LIMITS.memoryBytes) fail('too-much-memory');
  };
  void check();
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  return () => clearInterval(timer);
}
