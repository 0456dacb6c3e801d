/** MiniSearch as an engine of the search benchmark. It has no phrases and no NEAR. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TOP } from '../choose-queries.ts';
import type { Document } from '../collection.ts';
import { type Answer, runEngine } from './serve.ts';

interface MiniSearch {
  add(document: Document): void;
  search(query: string | object, options?: object): readonly unknown[];
}

const [, , , , , packageFolder] = process.argv as string[];
const Class = createRequire(join(packageFolder!, 'package.json'))('minisearch') as new (options: object) => MiniSearch;
const engine = new Class({ fields: ['title', 'text'] });

await runEngine({
  isInMemory: true,
  index(documents) {
    for (const document of documents) engine.add(document);
    return 0;
  },
  open(): Answer {
    return (kind, words) => {
      const text = words.join(' ');
      switch (kind) {
        case 'phrase':
        case 'frequent phrase':
        case 'near':
          return null;
        case 'and':
          return topOf(engine.search(text, { combineWith: 'AND' }));
        case 'prefix':
          return topOf(engine.search(text, { prefix: true }));
        case 'intitle':
          return topOf(engine.search(text, { fields: ['title'] }));
        case 'not':
          return topOf(engine.search({ combineWith: 'AND_NOT', queries: words }));
        default:
          return topOf(engine.search(text));
      }
    };
  },
});

function topOf(found: readonly unknown[]): number {
  return found.slice(0, TOP).length;
}
