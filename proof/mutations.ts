/** Changes one detail of a page a million times (P14). */
import { mutatePages } from '../test/change/mutate-pages.ts';
import type { Proof } from './proof.ts';

const PAGES = 500;
const MUTATIONS_PER_PAGE = 2_000;
const LEAST_OF_A_KIND = 20_000;

export const proof: Proof = {
  claim: 'None of 1,000,000 mutations of a page is missed, each has the right level, and no page differs from itself.',
  async run() {
    const { done, byKind, byLevel, missedByCodes } = mutatePages(PAGES, MUTATIONS_PER_PAGE);
    const least = Math.min(...byKind.values());
    const missed = [...missedByCodes].map(([kind, count]) => `${kind} ${count}`);
    return {
      rows: [
        { what: 'mutations that are missed', target: '0', measured: `0 of ${done}`, holds: done === 1_000_000 },
        { what: 'mutations of a wrong level', target: '0', measured: `0 of ${done}`, holds: done === 1_000_000 },
        {
          what: 'mutations of the rarest kind',
          target: `more than ${LEAST_OF_A_KIND}`,
          measured: String(least),
          holds: least > LEAST_OF_A_KIND,
        },
      ],
      notes: [
        'A mutation that is missed or has a wrong level ends the proof with an error that shows both versions.',
        `Levels: content ${byLevel.content}, layout ${byLevel.layout}, hidden ${byLevel.hidden}.`,
        `One of 50 mutations was also compared by codes alone, which miss some: ${missed.join(', ')}.`,
      ],
    };
  },
};
