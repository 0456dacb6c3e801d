/**
 * Hosts of a local web that workers share, and the requests that their servers saw: they show
 * whether the processes together are polite.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { Ledger, type LedgerEntry } from '../../../../testbed/web/ledger.ts';
import { type LocalWeb, reply, startWeb } from '../../../../testbed/web/local-web.ts';

/** Tolerance for the difference between two clocks of this machine and for inaccurate timers. */
const BLUR_MS = 3;

/** Starts `hosts` hosts at addresses that begin with `network`. The home page of each host links to its other pages. */
export async function startHosts(
  t: TestContext,
  { network, hosts, pages, answerMs }: { network: string; hosts: number; pages: number; answerMs: number },
): Promise<LocalWeb[]> {
  const ledger = new Ledger();
  const webs = await Promise.all(
    Array.from({ length: hosts }, (_, i) => startWeb({ address: `${network}.${i + 1}`, ledger })),
  );
  t.after(() => Promise.all(webs.map((web) => web.close())));
  for (const web of webs) {
    const own = Array.from({ length: pages - 1 }, (_, i) => `<a href="/p${i}">p</a>`).join('');
    web.on('/', reply(`<title>${web.host}</title>${own}`));
    web.on('/p*', (visit) => void setTimeout(() => reply(`page ${web.host}${visit.path}`)(visit), answerMs));
  }
  return webs;
}

/** The worker that sent a request names itself in the header X-Worker. */
export const workerOf = ({ headers }: LedgerEntry): string => String(headers['x-worker']);

/** A worker that froze in the middle of a statement keeps its hosts for longer than its lease. */
export const TAKEOVER_MS = 120_000;

/** Waits for a condition, not for a fixed time. */
export async function until(isSo: () => boolean, what: string, mostMs = 60_000): Promise<void> {
  const endMs = performance.now() + mostMs;
  while (!isSo()) {
    assert.ok(performance.now() < endMs, `${what} never happened`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Asserts that no host got two requests at once, or a request sooner than its
 * delay after the previous one, from any worker.
 */
export function assertPolite(webs: readonly LocalWeb[], delayMs: number): void {
  for (const { host, ledger } of webs) {
    const entries = ledger.of(host);
    for (const [i, entry] of entries.entries()) {
      assert.equal(entry.parallel, 1, `${host} has two requests at once, of ${workerOf(entry)}`);
      const before = entries[i - 1];
      if (before === undefined) continue;
      // Times are measured at the server: a response ends a little later at the client than at the server.
      const gapMs = entry.atMs - before.atMs;
      const who = `${workerOf(before)} ${before.path}, then ${workerOf(entry)} ${entry.path}`;
      assert.ok(gapMs >= delayMs - BLUR_MS, `${host}: ${gapMs} ms between ${who}`);
    }
  }
}
