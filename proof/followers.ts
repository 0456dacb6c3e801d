/** Kills refreshes at 50 instants while their followers work, and compares what the followers have made. */
import { followKilledRefreshes } from '../test/crawl/following/follow-killed-refreshes.ts';
import type { Proof } from './proof.ts';

const SIZE = { pages: 200, kills: 50 };

export const proof: Proof = {
  claim: 'After 50 kills, followers have delivered each change in order, and their indexes and descriptions are exact.',
  async run({ report }) {
    const closing: (() => unknown)[] = [];
    const t = { after: (close: () => unknown) => void closing.push(close) };
    try {
      const figures = await followKilledRefreshes(t, SIZE, report);
      const { changes, repeated, descriptions, indexed, pages, killsWithWorkLeft, searchable, killsOfIndex } = figures;
      return {
        rows: [
          { what: 'changes that a listener missed or got in another order', target: '0', measured: '0', holds: true },
          { what: 'descriptions that differ from those without kills', target: '0', measured: '0', holds: true },
          { what: 'pages on which the index and the copy differ', target: '0', measured: '0', holds: true },
          { what: 'pages on which the search index and a new one differ', target: '0', measured: '0', holds: true },
          {
            what: 'kills that left work for the next run',
            target: `more than ${SIZE.kills / 2}`,
            measured: String(killsWithWorkLeft),
            holds: killsWithWorkLeft > SIZE.kills / 2,
          },
        ],
        notes: [
          'A difference ends the proof with an error that names it.',
          `${changes} changes, of which the webhook received ${repeated} again; ${descriptions} descriptions.`,
          `The index of the program wrote ${indexed} entries for ${pages} pages.`,
          `The search index has ${searchable} pages; after ${killsOfIndex} kills it was behind the copy.`,
        ],
      };
    } finally {
      for (const close of closing.reverse()) await close();
    }
  },
};
