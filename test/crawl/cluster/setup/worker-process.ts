/** A worker in a process of its own, which can be killed and frozen. The store's address is in the environment: it has a password. */
import { startWork } from '../../../src/crawl/cluster/worker.ts';
import { openCluster } from './open-cluster.ts';

const { worker, given } = JSON.parse(process.argv[2]!);
const running = startWork({ open: () => openCluster(process.env.TEST_STORE!, worker.name), worker, own: given });
process.on('SIGTERM', () => running.stop());
console.log(JSON.stringify(await running.summary));
