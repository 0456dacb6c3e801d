/** Hosts, folders, URLs, and URLs that were not fetched. */
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
  record,
  text,
  whole,
} from '../schema/schema.ts';
import { count, reason, time, url } from './copies.ts';

export const hostsQuery = object({
  search: optional(text({ maxLength: 300, about: 'only hosts whose name contains this text' })),
  sort: optional(oneOf(['pages', 'waiting', 'failed', 'name'])),
  offset: optional(whole({ max: 1_000_000 })),
  limit: optional(whole({ min: 1, max: 200 })),
});

export const hostRow = named(
  'HostRow',
  object({
    host: text({ maxLength: 400 }),
    pages: count,
    waiting: count,
    failed: count,
    delayMs: nullable(decimal()),
    blockedUntil: nullable(time),
    robots: oneOf(['not-asked', 'rules', 'none', 'unreachable']),
    trouble: nullable(reason),
  }),
);

export const hostList = named('HostList', object({ hosts: list(hostRow, 200), total: count }));
export type HostList = Infer<typeof hostList>;

const evidence = { confirmed: count, falseAlarms: count, missed: count, quiet: count };
const verdict = oneOf(['believed', 'not-believed', 'unproven']);

export const hostDetail = named(
  'HostDetail',
  object({
    host: hostRow,
    robots: nullable(object({ status: count, at: time, text: text({ maxLength: 500_000 }), isCut: flag() })),
    watcher: nullable(object({ url: text(), readAt: nullable(time), verdict, ...evidence })),
    sources: nullable(object({ verdict, ...evidence })),
    sitemaps: list(url, 200),
    parameters: list(
      object({ space: text({ maxLength: 70_000 }), name: text(), verdict: text({ maxLength: 40 }), pages: count }),
      200,
    ),
    template: nullable(object({ pages: count, bytes: count })),
    noise: nullable(object({ secondLooks: count, ignored: list(text({ maxLength: 2_000 }), 200) })),
    mirrors: list(object({ host: text(), of: text(), same: count, different: count }), 100),
  }),
);
export type HostDetail = Infer<typeof hostDetail>;

export const treeQuery = object({
  host: text({ maxLength: 400 }),
  folder: optional(text({ maxLength: 4_000, about: 'a path that begins and ends with a slash; absent: /' })),
});

export const folderRow = named(
  'FolderRow',
  object({
    name: text({ maxLength: 4_000 }),
    isFolder: flag('false: a single URL'),
    url: nullable(url),
    urls: count,
    bytes: count,
    states: record(count),
  }),
);

export const tree = named(
  'Tree',
  object({
    host: text({ maxLength: 400 }),
    folder: text({ maxLength: 4_000 }),
    rows: list(folderRow, 2_000),
    isComplete: flag('false: the copy is still being counted, or has more rows than are shown'),
    countedAt: nullable(time),
  }),
);
export type Tree = Infer<typeof tree>;

export const urlsQuery = object({
  after: optional(whole()),
  limit: optional(whole({ min: 1, max: 200 })),
  state: optional(text({ maxLength: 20 })),
  reason: optional(reason),
  host: optional(text({ maxLength: 400 })),
});

export const urlRow = named(
  'UrlRow',
  object({ id: count, url, state: text({ maxLength: 20 }), reason: nullable(reason), via: nullable(url) }),
);
export const urlList = named(
  'UrlList',
  object({ urls: list(urlRow, 200), next: nullable(whole({ about: 'the value of `after` for the next part' })) }),
);
export type UrlList = Infer<typeof urlList>;

export const skippedGroup = named(
  'SkippedGroup',
  object({
    reason,
    meaning: text(),
    urls: count,
    isRetried: flag('the URLs are tried again'),
    option: nullable(text({ about: 'the option that would change it' })),
    examples: list(url, 5),
  }),
);
export const skipped = named('Skipped', object({ groups: list(skippedGroup, 200), isComplete: flag() }));
export type Skipped = Infer<typeof skipped>;

export const brokenQuery = object({ after: optional(whole()), limit: optional(whole({ min: 1, max: 50 })) });
export const brokenLink = named(
  'BrokenLink',
  object({
    url,
    reason,
    pages: whole({ about: 'number of pages that link to it' }),
    from: list(object({ url, anchor: nullable(text({ maxLength: 10_000 })) }), 5),
  }),
);
export const broken = named(
  'Broken',
  object({ links: list(brokenLink, 50), next: nullable(whole()), total: nullable(count) }),
);
export type Broken = Infer<typeof broken>;
