/**
 * Tests lost hosts: the units are told before anything else happens, and a host that was reported as lost but
 * still belongs to this worker is given back.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostLosses } from '../../../src/crawl/cluster/drop-lost-hosts.ts';

const NOW_MS = 1_000;

class Stand {
  live = new Set<number>();
  readonly seen: string[] = [];
  /** Resolves when the units answer. */
  answer = Promise.withResolvers<void>();
  readonly losses = new HostLosses({
    controller: {
      dispatcher: {
        lose: (ids: readonly number[], asOfMs: number) => {
          assert.equal(asOfMs, NOW_MS);
          return ids.filter((id) => this.live.delete(id));
        },
      },
      crew: { all: [] },
      losing: {
        ask: async (_units: unknown, { hostIds }: { hostIds: readonly number[] }) => {
          this.seen.push(`tell ${hostIds}`);
          await this.answer.promise;
        },
      },
      disown: (ids: readonly number[]) => this.seen.push(`disown ${ids}`),
      wake: () => this.seen.push('wake'),
    } as never,
    leases: {
      exclusively: async (work) => {
        this.seen.push('apart');
        await work();
        this.seen.push('together');
      },
    },
    release: async (ids) => void this.seen.push(`give back ${ids}`),
  });
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('W13 a call without new losses waits until earlier losses are handled', async () => {
  const { losses, live, seen, answer } = new Stand();
  live.add(1).add(2);
  const ended: string[] = [];
  const first = losses.lose([1], NOW_MS).then(() => ended.push('first'));
  const second = losses.lose([], NOW_MS).then(() => ended.push('second'));
  const third = losses.lose([1], NOW_MS).then(() => ended.push('third'));
  await settled();
  assert.deepEqual([ended, seen], [[], ['apart', 'tell 1']]);
  answer.resolve();
  await Promise.all([first, second, third]);
  await settled();
  assert.deepEqual(seen, ['apart', 'tell 1', 'disown 1', 'give back 1', 'together', 'wake']);
  assert.deepEqual([...live], [2]);
});
