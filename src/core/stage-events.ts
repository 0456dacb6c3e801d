/**
 * Start and end of every stage that a URL passes, as events on `node:diagnostics_channel` (M6). Timing and counting are
 * listeners; a stage without listeners costs one comparison. Units are threads, and a channel belongs to a thread: a
 * listener subscribes in the thread that it wants to hear (`node --import` reaches all of them).
 */
import { channel } from 'node:diagnostics_channel';

/** The stages in the order in which a URL passes them, each with the unit of WBC that it belongs to (W11). */
export const STAGE_UNITS = {
  robots: 'crawler',
  parameters: 'crawler',
  fetch: 'crawler',
  document: 'link extractor',
  page: 'link extractor',
  content: 'link extractor',
  topic: 'link extractor',
  links: 'link extractor',
  archive: 'crawler',
  change: 'crawler',
  commit: 'controller',
  rank: 'link sorter',
} as const;

export type StageName = keyof typeof STAGE_UNITS;

export interface StageEvent {
  readonly stage: StageName;
  readonly unit: (typeof STAGE_UNITS)[StageName];
  /** The URL; null for a stage that works on a batch. */
  readonly url: string | null;
}

export interface StageEnd extends StageEvent {
  readonly tookMs: number;
}

export const STAGE_START = 'orbweaver/stage/start';
export const STAGE_END = 'orbweaver/stage/end';

const starts = channel(STAGE_START);
const ends = channel(STAGE_END);

/** Runs the work of a stage and publishes its start and its end, also if it throws. */
export function inStage<Result>(stage: StageName, url: string | null, work: () => Result): Result {
  if (!starts.hasSubscribers && !ends.hasSubscribers) return work();
  const event: StageEvent = { stage, unit: STAGE_UNITS[stage], url };
  const startMs = performance.now();
  const end = (): void => ends.publish({ ...event, tookMs: performance.now() - startMs } satisfies StageEnd);
  starts.publish(event);
  let result: Result;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end) as Result;
  end();
  return result;
}
