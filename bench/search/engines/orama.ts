/** Orama as an engine of the search benchmark. It has no phrases by position, no NEAR, and no NOT. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TOP } from '../choose-queries.ts';
import { type Answer, runEngine } from './serve.ts';

interface Orama {
  create(options: object): unknown;
  insert(db: unknown, document: object): unknown;
  search(db: unknown, options: object): Promise<{ readonly hits: readonly unknown[] }>;
}

/** All words must be there, or one of them. */
const ALL = 0;
const ONE = 1;

const [, , , , , packageFolder] = process.argv as string[];
const { create, insert, search } = createRequire(join(packageFolder!, 'package.json'))('@orama/orama') as Orama;
const db = create({ schema: { title: 'string', text: 'string' } });

await runEngine({
  isInMemory: true,
  async index(documents) {
    for (const { id, title, text } of documents) await insert(db, { id: String(id), title, text });
    return 0;
  },
  open(): Answer {
    return async (kind, words) => {
      if (kind === 'phrase' || kind === 'frequent phrase' || kind === 'near' || kind === 'not') return null;
      const { hits } = await search(db, {
        term: words.join(' '),
        limit: TOP,
        threshold: kind === 'and' ? ALL : ONE,
        // Every other search is one for prefixes. With `exact` it reads the texts of all candidates again.
        ...(kind === 'intitle' ? { properties: ['title'] } : {}),
      });
      return hits.length;
    };
  },
});
