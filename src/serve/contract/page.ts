/** What the API says about one URL. */
import { CHANGE_LEVELS, CHANGE_PARTS } from '../../core/page/change-class.ts';
import {
  anything,
  decimal,
  flag,
  type Infer,
  list,
  named,
  nullable,
  object,
  oneOf,
  optional,
  record,
  text,
  whole,
} from '../schema/schema.ts';
import { count, reason, time, url } from './copies.ts';

export const urlQuery = object({ url: text({ maxLength: 70_000, about: 'a URL, as the user writes it' }) });

export const pageFacts = named(
  'PageFacts',
  object({
    url,
    isKnown: flag('false: the copy does not know the URL; `reason` is the rule that would exclude it'),
    state: nullable(text({ maxLength: 20 })),
    reason: nullable(reason),
    title: text({ maxLength: 10_000 }),
    language: text({ maxLength: 40 }),
    contentType: text({ maxLength: 300 }),
    bytes: count,
    depth: nullable(count),
    fetchedAt: nullable(time),
    checkedAt: nullable(time),
    status: nullable(count),
    duplicateOf: nullable(url),
    canonical: nullable(url),
    nearDuplicateOf: nullable(url),
    redirectTo: nullable(url),
    rank: nullable(decimal()),
    inlinks: count,
    outlinks: count,
    sentences: list(text({ maxLength: 20_000 }), 200, 'the answer of `orbweaver explain`'),
    hasContent: flag('the archive has content that can be shown'),
  }),
);
export type PageFacts = Infer<typeof pageFacts>;

export const visit = named(
  'Visit',
  object({
    at: time,
    found: text({ maxLength: 30 }),
    status: count,
    contentType: text({ maxLength: 300 }),
    bytes: nullable(count),
    wordsAdded: nullable(count),
    wordsRemoved: nullable(count),
    leadsTo: nullable(url),
    level: nullable(oneOf(CHANGE_LEVELS)),
    part: nullable(oneOf(CHANGE_PARTS)),
    kinds: list(text(), 20),
    isDamaged: flag(),
  }),
);

export const pageHistory = named(
  'PageHistory',
  object({
    url,
    total: count,
    visits: list(visit, 1_000, 'the stored responses, newest first'),
    looks: nullable(
      object({
        count,
        changes: decimal(),
        noise: count,
        lastAt: time,
        since: time,
        changesADay: nullable(decimal()),
      }),
    ),
  }),
);
export type PageHistory = Infer<typeof pageHistory>;

export const diffQuery = object({
  url: text({ maxLength: 70_000 }),
  from: optional(text({ maxLength: 40, about: 'time of the older version; absent: the last one that differs' })),
  to: optional(text({ maxLength: 40, about: 'time of the newer version; absent: the newest one' })),
  of: optional(oneOf(['text', 'source'])),
  context: optional(whole({ max: 1_000 })),
});

const version = object({
  at: time,
  status: count,
  contentType: text({ maxLength: 300 }),
  bytes: count,
  title: text({ maxLength: 10_000 }),
});

export const pageDiff = named(
  'PageDiff',
  object({
    url,
    of: oneOf(['text', 'source']),
    from: nullable(version),
    to: version,
    isCompared: flag('false: there are not two texts to compare'),
    wordsAdded: nullable(count),
    wordsRemoved: nullable(count),
    linesAdded: nullable(count),
    linesRemoved: nullable(count),
    hunks: list(
      object({
        oldLine: count,
        oldLines: count,
        newLine: count,
        newLines: count,
        pieces: list(object({ kind: oneOf(['same', 'removed', 'added']), text: text({ maxLength: 2_000_000 }) })),
      }),
      2_000,
    ),
    isCut: flag('the comparison is longer than the API returns'),
  }),
);
export type PageDiff = Infer<typeof pageDiff>;

export const linksQuery = object({
  url: text({ maxLength: 70_000 }),
  limit: optional(whole({ min: 1, max: 200 })),
});

const link = object({
  url,
  title: text({ maxLength: 10_000 }),
  anchor: nullable(text({ maxLength: 10_000 })),
  rank: decimal(),
  state: nullable(text({ maxLength: 20 })),
});

export const pageLinks = named(
  'PageLinks',
  object({ url, totalTo: count, totalFrom: count, to: list(link, 200), from: list(link, 200) }),
);
export type PageLinks = Infer<typeof pageLinks>;

export const contentQuery = object({
  url: text({ maxLength: 70_000 }),
  at: optional(text({ maxLength: 40, about: 'the newest response up to this time; absent: the newest one' })),
});

export const pageContent = named(
  'PageContent',
  object({
    url,
    at: time,
    status: count,
    contentType: text({ maxLength: 300 }),
    title: text({ maxLength: 10_000 }),
    markdown: nullable(text({ maxLength: 2_000_000, about: 'the main content; null for content without text' })),
    isCut: flag(),
    facts: record(anything, 'what the page states about itself'),
    structured: list(anything, 1_000, 'structured data in one shape'),
    headers: list(list(text({ maxLength: 20_000 }), 2), 500),
    archived: text({ maxLength: 100_000, about: 'path of the page as it was, for a frame; relative to this server' }),
  }),
);
export type PageContent = Infer<typeof pageContent>;
