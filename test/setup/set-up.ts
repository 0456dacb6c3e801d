/**
 * Installs the programs that the tests need beyond npm's packages: nginx, PostgreSQL, PgBouncer, strace, Chromium and a
 * Node 18.
 * In: a listener for progress. Out: sentences about programs that could not be installed. The tests that need such a
 * program are skipped with the same reason.
 */

import { findChromium, installChromium } from '../../testbed/servers/chromium-program.ts';
import { findNginx, installNginx } from '../../testbed/servers/nginx-program.ts';
import { findPostgres, installPostgres } from '../../testbed/servers/postgres-program.ts';
import { findStrace, installStrace } from '../faults/strace-program.ts';
import { installOldNode } from './old-node.ts';
import { findPooler, installPooler } from './pooler-program.ts';

/** The oldest Node that the watcher supports. */
export const OLDEST_NODE = 18;

export async function setUp(report: (text: string) => void): Promise<readonly string[]> {
  const reasons = [
    (await findNginx()) === undefined ? await installNginx(report) : undefined,
    (await findPostgres()) === undefined ? await installPostgres(report) : undefined,
    (await findPooler()) === undefined ? await installPooler(report) : undefined,
    (await findStrace()) ? undefined : await installStrace(report),
    (await findChromium()) === undefined ? await installChromium(report) : undefined,
    await installOldNode(OLDEST_NODE, report),
  ];
  return reasons.filter((reason) => reason !== undefined);
}
