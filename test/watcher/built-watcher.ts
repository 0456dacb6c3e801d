/** The file that is uploaded, built once for all tests of a process, and the Nodes it has to run on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Bundle, bundleWatcher } from '../../build/bundle-watcher.ts';
import { findOldNode } from '../setup/old-node.ts';
import { OLDEST_NODE } from '../setup/set-up.ts';

const folder = await mkdtemp(join(tmpdir(), 'watcher-bundle-'));
after(() => rm(folder, { recursive: true, force: true }));

export const bundle: Bundle = await bundleWatcher(join(folder, 'orbweaver-watcher.mjs'));

/** By name: the oldest it promises to run on, the one that the machine has, and ours. */
export const NODES: Readonly<Record<string, string | undefined>> = {
  [`Node ${OLDEST_NODE}`]: findOldNode(OLDEST_NODE),
  'the Node of the machine': systemNode(),
  [`Node ${process.version}`]: process.execPath,
};

/** npm puts its own in front, which is ours. */
function systemNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((path) => process.getBuiltinModule('node:fs').existsSync(path));
}
