import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { crawlWithFaults } from '../../bench/cluster/faults/crawl-with-faults.ts';
import { SIDE_BY_SIDE, smallSize, WITH_PAUSES } from '../../bench/cluster/faults/fault-sizes.ts';
import { judgeFaults } from '../../bench/cluster/faults/judge-faults.ts';
import { buildOrbweaver } from '../../testbed/measure/built-orbweaver.ts';
import { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { unusedPort } from '../../testbed/servers/server-place.ts';
import { noPostgres } from '../setup/postgres.ts';

/**
 * Each kind of fault at least once. The benchmark does the same to a larger crawl
 * (`npm run bench -- cluster --parts faults`).
 */
const CASES = [
  { name: 'a pause between requests', manners: WITH_PAUSES },
  { name: 'several requests at once', manners: SIDE_BY_SIDE },
];

describe('P1 a crawl whose workers and server die, freeze and are cut off', { skip: noPostgres }, () => {
  let server: PostgresServer;
  let workFolder: string;

  before(async () => {
    await buildOrbweaver(() => {});
    workFolder = await mkdtemp(join(tmpdir(), 'orbweaver-faults-'));
    // This test needs its own server, because the server is restarted and killed.
    server = await PostgresServer.create();
  });
  after(async () => {
    await server?.close();
    await rm(workFolder, { recursive: true, force: true });
  });

  for (const { name, manners } of CASES) {
    it(`W13 stores every page once, loses no link and stays polite: ${name}`, async () => {
      const size = smallSize(manners, await unusedPort());
      const run = await crawlWithFaults({ server, address: null, workFolder }, size, () => {});
      const verdict = judgeFaults(run);
      assert.deepEqual(verdict.complaints, []);
      assert.equal(verdict.stored, run.size.shape.pages);
      // Otherwise no request was under way when workers died, and the test tested nothing.
      assert.ok(verdict.fetchedAgain > 0);
    });
  }
});
