/** What the API says about copies as a whole. */
import { flag, type Infer, list, named, nullable, object, oneOf, record, text, whole } from '../schema/schema.ts';

export const time = text({ maxLength: 30, format: 'date-time', about: 'ISO 8601, in UTC' });
export const url = text({ maxLength: 70_000, about: 'a URL in the normal form of the copy' });
/** Names of reasons are those of docs/errors.md. */
export const reason = text({ maxLength: 60, about: 'a reason of docs/errors.md' });
export const count = whole();

/**
 * What a copy does. `idle`: nothing runs. `pausing` and `stopping`: running work is finished and saved. `paused`: the
 * interface paused it.
 */
export const RUN_STATES = ['idle', 'starting', 'crawling', 'refreshing', 'pausing', 'stopping', 'paused'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const copySummary = named(
  'CopySummary',
  object({
    id: text({ maxLength: 80, about: 'the name of the copy in addresses of this API' }),
    title: text(),
    kind: oneOf(['folder', 'database']),
    state: oneOf(RUN_STATES),
    problem: nullable(text({ about: 'why the copy cannot be read at the moment' })),
    seeds: list(url, 5),
    pages: count,
    waiting: count,
    failed: count,
    skipped: count,
    hosts: count,
    bytes: count,
    changes: whole({ about: 'number of the newest change' }),
    refreshedAt: nullable(time),
    isSearchable: flag('the copy has a search index'),
    canRun: flag('runs can be started and stopped with a token'),
  }),
);
export type CopySummary = Infer<typeof copySummary>;

export const copyList = named(
  'CopyList',
  object({
    version: text({ maxLength: 40 }),
    copies: list(copySummary, 1_000),
    isReadOnly: flag('nothing can be changed, also not with a token'),
    mayWrite: flag('this request had a valid token'),
    canCreate: flag('new copies can be made'),
  }),
);
export type CopyList = Infer<typeof copyList>;

export const follower = object({
  name: text({ maxLength: 200 }),
  behind: nullable(whole({ about: 'changes or URLs that it has not processed' })),
  isActive: flag('a process works on it'),
});

export const copyDetail = named(
  'CopyDetail',
  object({
    summary: copySummary,
    states: record(count, 'known URLs by state'),
    reasons: record(count, 'URLs without a page, and pages with a flaw, by reason'),
    retrying: count,
    archive: object({ files: count, bytes: count }),
    receivedBytes: count,
    command: text({ maxLength: 10_000, about: 'the command line that continues this crawl' }),
    refreshCommand: text({ maxLength: 10_000, about: 'the command line that refreshes this copy' }),
    secrets: list(text(), 100, 'names of secret options that every run needs'),
    followers: list(follower, 100),
    search: nullable(object({ pages: count, bytes: count, behind: count })),
    damaged: whole({ about: 'responses that are damaged in the archive' }),
    topic: nullable(object({ judged: count, onTopic: count })),
  }),
);
export type CopyDetail = Infer<typeof copyDetail>;

export const newCopy = named(
  'NewCopy',
  object({
    seeds: list(text({ maxLength: 2_000 }), 100),
    name: text({ maxLength: 60, about: 'the name of the new folder: letters, digits, - and _' }),
  }),
);
