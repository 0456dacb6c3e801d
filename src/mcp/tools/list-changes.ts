import { EntryDescriber } from '../../copy/describe-entry.ts';
import type { ChangeEntry, Store } from '../../store/contract.ts';
import { compilePattern } from '../../url/pattern.ts';
import { ArgumentError } from './arguments.ts';
import { COUNT, counted, listOf, MAYBE_TEXT, readingTool, TEXT } from './tool.ts';
import { fitting, title, url } from './web-text.ts';

const MOST_CHARS = 40_000;
const PER_READ = 200;
/** Changes that one call looks at; a pattern may match few of them. */
const MOST_READ = 5_000;

export const listChangesTool = readingTool({
  name: 'list_changes',
  title: 'Changes since a time',
  about:
    'Lists the changes that refreshes of the copy have found, oldest first: new, changed, gone, moved and returned pages. ' +
    'Use page_diff for the words that changed. Continue with after = nextAfter.',
  onlyReads: true,
  table: {
    since: { kind: 'time', about: 'only changes at or after this time', of: 'begin' },
    after: {
      kind: 'count',
      about: 'only changes with a higher number; wins over since',
      least: 0,
      most: 1e15,
      usual: 0,
    },
    pattern: {
      kind: 'text',
      about: 'only URLs that match, where * stands for any text: *://example.com/news/*',
      most: 1_000,
    },
    limit: { kind: 'count', about: 'number of changes', least: 1, most: 100, usual: 30 },
  },
  facts: { lastSeq: COUNT, nextAfter: COUNT, isComplete: { type: 'boolean' } },
  web: {
    changes: listOf({
      seq: COUNT,
      at: TEXT,
      kind: TEXT,
      level: MAYBE_TEXT,
      reason: MAYBE_TEXT,
      url: TEXT,
      title: TEXT,
    }),
  },
  async run({ store, place }, { since, after, pattern, limit }) {
    // A pattern between slashes would be a regular expression, which need not take linear time.
    if (pattern.startsWith('/')) throw new ArgumentError('pattern is a URL with *, not a path or a regular expression');
    const matches = pattern === '' ? () => true : compilePattern(pattern);
    const lastSeq = await store.lastChange();
    const describer = new EntryDescriber(store, place);
    const found: {
      seq: number;
      at: string;
      kind: string;
      level: string | null;
      reason: string | null;
      url: string;
      title: string;
    }[] = [];
    let seq = after > 0 || since === null ? after : await lastBefore(store, since, lastSeq);
    let isComplete = false;
    for (let read = 0; read < MOST_READ && found.length < limit && !isComplete; read += PER_READ) {
      const entries = await store.changes(seq, PER_READ);
      for (const entry of entries) {
        if (found.length === limit) break;
        seq = entry.seq;
        if (!matches(entry.url) || (since !== null && entry.atMs < since)) continue;
        found.push(toChange(await describer.described(entry)));
      }
      isComplete = entries.length === 0 || (entries.length < PER_READ && seq === entries.at(-1)!.seq);
    }
    const changes = fitting(found, MOST_CHARS);
    if (changes.length < found.length) isComplete = false;
    const nextAfter = changes.length < found.length ? changes.at(-1)!.seq : seq;
    return {
      facts: { lastSeq, nextAfter, isComplete },
      says: [
        `${counted(changes.length, 'change')}${isComplete ? '; there are no more so far' : `. More: call list_changes with after ${nextAfter}`}.`,
        ...(lastSeq === 0 ? ['No refresh of this copy has found a change yet.'] : []),
      ],
      web: { changes },
      webText: changes
        .map(
          ({ seq, at, kind, level, url, title }) =>
            `${seq}. ${at} ${kind}${level === null ? '' : ` (${level})`}: ${title}\n   ${url}`,
        )
        .join('\n'),
    };
  },
});

function toChange({ seq, atMs, kind, level, reason, url: pageUrl, title: name }: ChangeEntry) {
  return { seq, at: new Date(atMs).toISOString(), kind, level, reason, url: url(pageUrl), title: title(name) };
}

/**
 * The number of the last change before a time. Numbers ascend with time, except for changes that were seen together.
 */
async function lastBefore(store: Pick<Store, 'changes'>, sinceMs: number, lastSeq: number): Promise<number> {
  let [low, high] = [0, lastSeq];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [next] = await store.changes(middle, 1);
    if (next === undefined || next.atMs >= sinceMs) high = middle;
    else low = Math.max(middle + 1, next.seq);
  }
  return low;
}
