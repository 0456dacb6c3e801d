/**
 * Installs what the tests need beyond npm's packages: nginx, PostgreSQL, PgBouncer, strace and a Node 18. In: who is
 * told of progress.
 * Out: sentences about what could not be installed; the tests that need it are skipped with the same reason.
 */
import { findPostgres, installPostgres } from '../../bench/postgres/postgres-program.ts';
import { findNginx, installNginx } from '../../bench/web/nginx-program.ts';
import { findStrace, installStrace } from '../faults/strace-program.ts';
import { installOldNode } from './old-node.ts';
import { findPooler, installPooler } from './pooler-program.ts';

/** The oldest Node that the watcher runs on. */
export const OLDEST_NODE = 18;

export async function setUp(report: (text: string) => void): Promise<readonly string[]> {
  const reasons = [
    (await findNginx()) === undefined ? await installNginx(report) : undefined,
    (await findPostgres()) === undefined ? await installPostgres(report) : undefined,
    (await findPooler()) === undefined ? await installPooler(report) : undefined,
    (await findStrace()) ? undefined : await installStrace(report),
    await installOldNode(OLDEST_NODE, report),
  ];
  return reasons.filter((reason) => reason !== undefined);
}
