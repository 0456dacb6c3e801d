/**
 * A worker in its own process, which can be killed and frozen. The environment holds the store's
 * address, because the address contains a password.
 */
import { startWork } from '../../../../src/crawl/cluster/worker.ts';
import { openCluster } from './open-cluster.ts';

const { worker, given } = JSON.parse(process.argv[2]!);
const running = startWork({ open: () => openCluster(process.env.TEST_STORE!, worker.name), worker, own: given });
process.on('SIGTERM', () => running.stop());
console.log(JSON.stringify(await running.summary));
