import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { storeContract } from '../contract.ts';
import { postgresIn } from './setup/postgres-in.ts';

storeContract('PostgreSQL', async (dir) => openPostgresStore(await postgresIn(dir)), {
  sharedBecause: 'others may have the crawl open, and their leases stay theirs',
  knownFirstBecause: 'nobody is to wait for a commit at a URL that many find',
  seeds: 1,
  atOnce: 3,
});
