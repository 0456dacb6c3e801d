/**
 * The code of a reader thread. In: tasks. Out: a result for each. Reading pages, comparing versions and searching can
 * take long, so none of it happens in the thread that serves requests.
 */
import { parentPort } from 'node:worker_threads';
import { OrbweaverError } from '../../core/errors.ts';
import { replyArchived } from '../archived/archived-reply.ts';
import { ApiError, faultOf } from '../http/api-error.ts';
import { SchemaMismatch } from '../schema/schema.ts';
import { answerRoute } from './answer-route.ts';
import { OpenCopies } from './open-copies.ts';
import type { ReaderReply, ReaderResult, ReaderTask } from './reader-messages.ts';

const port = parentPort!;
const copies = new OpenCopies();

port.on('message', (task: ReaderTask) => {
  answer(task).then(
    (reply) => port.postMessage({ id: task.id, reply } satisfies ReaderResult),
    (error: unknown) => {
      const isExpected = [ApiError, OrbweaverError, SchemaMismatch].some((kind) => error instanceof kind);
      const detail = isExpected ? null : String((error as Error).stack ?? error);
      port.postMessage({ id: task.id, fault: faultOf(error), detail } satisfies ReaderResult);
    },
  );
});

async function answer({ copy, work, archivedRoot }: ReaderTask): Promise<ReaderReply> {
  return copies.withCopy(copy, async (open) => {
    if (work.kind === 'route') return answerRoute({ open, archivedRoot, ...work });
    return replyArchived({ store: open.store, where: copy.place, ...work });
  });
}
