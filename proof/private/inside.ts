/**
 * The program that runs inside the closed network. In: the number of targets, and the names of ways (all ways if none
 * is given). Out: one JSON array on stdout, with an entry for each way.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres } from '../../testbed/servers/postgres-program.ts';
import { PostgresServer } from '../../testbed/servers/postgres-server.ts';
import { NAME_SERVER } from '../../testbed/web/closed-network/enter.ts';
import { NameServer } from '../../testbed/web/closed-network/name-server.ts';
import { PRIVATE_TARGETS, type PrivateTarget } from '../../testbed/web/closed-network/private-targets.ts';
import { WideWeb } from '../../testbed/web/closed-network/wide-web.ts';
import { arrivalOf, canonicalAddress, DEAD_PUBLIC, type Ended, Lab, sampleOf } from './lab.ts';
import type { WayResult } from './way-result.ts';
import { WAYS, type Way } from './ways.ts';

const [count = '60', ...wanted] = process.argv.slice(2);
const targets = sampleOf(Number(count));
const isSample = targets.length < PRIVATE_TARGETS.length;
const ways = WAYS.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-private-addresses-'));
spawnSync('ip', ['route', 'add', 'unreachable', DEAD_PUBLIC, 'table', 'local']);
const names = await NameServer.start(NAME_SERVER);
const web = await WideWeb.start();
const server =
  ways.some(({ needsDatabase }) => needsDatabase) && (await findPostgres()) !== undefined
    ? await PostgresServer.create({ durable: false })
    : null;
try {
  await server?.databases.create('proof');
  const password = server && new URL(server.databases.url('proof')).password;
  const database = server && { store: server.databases.url('proof', { withPassword: false }), password: password! };
  const lab = new Lab(names, web, folder, database);
  const results: WayResult[] = [];
  for (const way of ways) {
    if (way.needsDatabase && database === null) continue;
    const result = await resultOf(way, lab);
    results.push(result);
    process.stderr.write(
      `${way.name}: ${result.closed.connections} connections, ${result.named.connections} if allowed\n`,
    );
  }
  process.stdout.write(JSON.stringify(results));
} finally {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

/** Tries a way without flags, then with private addresses allowed. The second try must reach the same listeners. */
async function resultOf(way: Way, lab: Lab): Promise<WayResult> {
  const closed = await attempt(way, lab, targets, []);
  const bare = isSample ? null : await attempt(way, lab, targets, ['--allow-private']);
  const named = await attempt(way, lab, targets, [
    `--allow-private=${targets.map(({ address }) => address).join(',')}`,
  ]);
  return { way: way.name, targets: targets.length, closed, bare, named };
}

async function attempt(way: Way, lab: Lab, targets: readonly PrivateTarget[], flags: readonly string[]) {
  lab.web.takeWrong();
  const ended = await way.run(lab, targets, flags);
  const wrong = lab.web.takeWrong().map(canonicalAddress);
  const reached = targets.filter((target) => wrong.includes(arrivalOf(target)));
  return {
    connections: wrong.length,
    reached: reached.length,
    reachedThatMustBeNamed: reached.filter(({ mustBeNamed }) => mustBeNamed).map(({ address }) => address),
    missed: targets.filter((target) => !reached.includes(target)).map(({ address }) => address),
    exitCodes: ended.map(({ exitCode }) => exitCode),
    lastWords: lastWordsOf(ended),
  };
}

function lastWordsOf(ended: readonly Ended[]): string {
  const { stderr = '', stdout = '' } = ended.at(-1) ?? {};
  return (stderr.trim() || stdout.trim()).slice(-400);
}
