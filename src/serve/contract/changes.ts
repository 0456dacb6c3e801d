/** The stream of changes. */
import { CHANGE_LEVELS, CHANGE_PARTS } from '../../core/page/change-class.ts';
import { CHANGE_KINDS } from '../../store/records/visit-records.ts';
import {
  decimal,
  flag,
  type Infer,
  list,
  named,
  nullable,
  object,
  oneOf,
  optional,
  text,
  whole,
} from '../schema/schema.ts';
import { count, reason, time, url } from './copies.ts';

export const change = named(
  'Change',
  object({
    seq: whole({ about: 'ascends in the order of commits; never used twice' }),
    at: time,
    url,
    title: text({ maxLength: 10_000 }),
    kind: oneOf(CHANGE_KINDS),
    reason: nullable(reason),
    level: nullable(oneOf(CHANGE_LEVELS)),
    part: nullable(oneOf(CHANGE_PARTS)),
    kinds: list(text(), 20, 'what differs: text, links, images …'),
    wordsAdded: nullable(count),
    wordsRemoved: nullable(count),
    shared: nullable(decimal({ about: 'share of the text that stayed, 0 to 1' })),
    edit: nullable(text({ about: 'equal for equal edits on several pages' })),
  }),
);
export type Change = Infer<typeof change>;

export const sharedEdit = named(
  'SharedEdit',
  object({
    edit: text(),
    pages: count,
    level: nullable(oneOf(CHANGE_LEVELS)),
    part: nullable(oneOf(CHANGE_PARTS)),
    examples: list(url, 10),
  }),
);

export const changesQuery = object({
  before: optional(whole({ about: 'only changes with smaller numbers; absent: from the newest one' })),
  limit: optional(whole({ min: 1, max: 200 })),
  host: optional(text({ maxLength: 300, about: 'only this host' })),
  kind: optional(oneOf(CHANGE_KINDS)),
  level: optional(oneOf(CHANGE_LEVELS)),
  words: optional(text({ maxLength: 200, about: 'only changes whose URL or title has these words' })),
  least: optional(whole({ about: 'only changes with at least so many added and removed words together' })),
  edits: optional(flag('false: also every page of an edit that many pages share')),
});

export const changesAnswer = named(
  'Changes',
  object({
    changes: list(change, 200, 'newest first; of an edit that many pages share, only the newest change'),
    edits: list(sharedEdit, 50, 'edits that several of these changes share with other pages'),
    next: nullable(whole({ about: 'the value of `before` for the next part; null at the end' })),
    newest: whole({ about: 'number of the newest change of the copy' }),
    seen: whole({ about: 'changes up to this number are marked as seen' }),
  }),
);
export type ChangesAnswer = Infer<typeof changesAnswer>;

export const seenMark = named('SeenMark', object({ seq: whole() }));
