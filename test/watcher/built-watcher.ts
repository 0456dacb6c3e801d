/**
 * The watcher file that owners upload, built once for all tests of a process, and
 * the Node versions that it has to run on.
 */
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

/** By name: the oldest supported Node, the Node of the machine, and the Node of the project. */
export const NODES: Readonly<Record<string, string | undefined>> = {
  [`Node ${OLDEST_NODE}`]: findOldNode(OLDEST_NODE),
  'the Node of the machine': systemNode(),
  [`Node ${process.version}`]: process.execPath,
};

/** Does not search PATH, because npm puts the project's own Node at its front. */
function systemNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((path) => process.getBuiltinModule('node:fs').existsSync(path));
}
