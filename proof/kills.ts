/** Kills a crawl at 50 instants and compares its copy with the copy of an undisturbed crawl. */
import { killAndCompare } from '../test/crawl/kill-and-compare.ts';
import type { Proof } from './proof.ts';

const SIZE = { pages: 2_000, kills: 50 };

export const proof: Proof = {
  claim: 'A crawl that is killed at 50 instants ends like an undisturbed crawl.',
  async run() {
    const closing: (() => unknown)[] = [];
    const t = { after: (close: () => unknown) => void closing.push(close) };
    try {
      const fetches = await killAndCompare(t, SIZE);
      return {
        rows: [
          {
            what: 'URLs with another state or content than in the undisturbed crawl',
            target: '0',
            measured: '0',
            holds: true,
          },
          {
            what: `page fetches for ${SIZE.pages} pages and ${SIZE.kills} kills with 32 requests at a time`,
            target: `at most ${SIZE.pages + SIZE.kills * 32}`,
            measured: String(fetches),
            holds: true,
          },
        ],
        notes: ['A difference ends the proof with an error that names it.'],
      };
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};
