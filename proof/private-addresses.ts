/**
 * Shows that no way leads a public crawl to a private address. It tries 60 private addresses by every way of ways.ts,
 * against real listeners on all of them, in a network namespace with its own name server.
 *
 * The same ways are tried with `--allow-private`, bare and with every address named. These tries reach the
 * listeners, so the count of zero is able to fail.
 */
import { fileURLToPath } from 'node:url';
import { runInside, whyNoNamespace } from '../testbed/web/closed-network/enter.ts';
import { PRIVATE_TARGETS } from '../testbed/web/closed-network/private-targets.ts';
import { sampleOf } from './private/lab.ts';
import type { Attempt, WayResult } from './private/way-result.ts';
import { WAYS } from './private/ways.ts';
import type { Proof, ProofContext, ProofResult, ProofRow } from './proof.ts';

const INSIDE = fileURLToPath(new URL('private/inside.ts', import.meta.url));

export const proof: Proof = {
  claim:
    'A crawl that was begun with public seeds connects to no private address, whatever links, redirects, DNS, proxies and robots.txt say.',

  async run({ report, words }: ProofContext): Promise<ProofResult> {
    const reason = whyNoNamespace();
    if (reason !== null) throw new Error(reason);
    const results = await tryWays(words, report);
    const rows = results.flatMap(rowsOf);
    const kinds = (['ipv4', 'ipv6', 'nat64'] as const).map(
      (kind) => `${PRIVATE_TARGETS.filter((target) => target.kind === kind).length} ${kind}`,
    );
    const closed = sum(results, ({ closed }) => closed.connections);
    const open = sum(results, ({ bare, named }) => (bare?.connections ?? 0) + named.connections);
    const left = WAYS.length - results.length;
    return {
      rows: [total(results, closed), ...rows],
      notes: [
        `The targets: ${kinds.join(', ')}. Of these, ${PRIVATE_TARGETS.filter(({ mustBeNamed }) => mustBeNamed).length} are link-local or metadata services and must be named.`,
        'Every address of the namespace is local (a route "local default dev lo"), so a connection to any address is accepted and counted, by TCP, before HTTP or TLS.',
        `The same commands with --allow-private made ${open} connections to the same listeners.`,
        ...(left > 0 && words.length === 0 ? [`${left} ways were left out: PostgreSQL is not installed.`] : []),
      ],
      details: results.map((result) => ({
        ...result,
        closed: shown(result.closed),
        bare: shown(result.bare),
        named: shown(result.named),
      })),
    };
  },
};

/** `words`: the number of targets, and parts of the names of ways (all ways if none is given). */
export async function tryWays(words: readonly string[], report: (line: string) => void): Promise<WayResult[]> {
  const { exitCode, stdout } = await runInside(INSIDE, words, report);
  if (exitCode !== 0 || stdout === '') throw new Error(`the program in the namespace ended with ${exitCode}`);
  return JSON.parse(stdout) as WayResult[];
}

/** A closed attempt must reach nothing. An opened attempt must reach every target that its flags allow. */
export function rowsOf({ way, targets, closed, bare, named }: WayResult): ProofRow[] {
  const openable = sampleOf(targets).filter(({ mustBeNamed }) => !mustBeNamed).length;
  const isBareRight = bare === null || (bare.reached === openable && bare.reachedThatMustBeNamed.length === 0);
  return [
    {
      what: `${way}: connections to private addresses, ${targets} targets`,
      target: '0',
      measured: String(closed.connections),
      // A refresh that may ask no host at all ends with 1.
      holds: closed.connections === 0 && closed.exitCodes.every((code) => code === 0 || code === 1),
    },
    {
      what: 'control: targets reached with a bare `--allow-private`, and with all named',
      target: `${openable} and ${targets}`,
      measured: `${bare?.reached ?? 'not tried'} and ${named.reached}`,
      holds: isBareRight && named.reached === targets,
    },
  ];
}

function total(results: readonly WayResult[], connections: number): ProofRow {
  const tries = sum(results, ({ targets }) => targets);
  return {
    what: `private addresses reached, ${results.length} ways, ${tries} pairs of way and target`,
    target: '0',
    measured: String(connections),
    holds: connections === 0,
  };
}

/** The output of a command names folders of the machine, which do not belong in a stored result. */
function shown(attempt: Attempt | null) {
  const { connections, reached, exitCodes } = attempt ?? { connections: 0, reached: 0, exitCodes: [] };
  return { connections, reached, exitCodes };
}

function sum(results: readonly WayResult[], of: (result: WayResult) => number): number {
  return results.reduce((all, result) => all + of(result), 0);
}
