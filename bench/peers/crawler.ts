/**
 * What the benchmark knows of a crawler: how to get it, and how to start it on a web.
 *
 * One file a crawler, its own script (in its own language) in a folder beside it. What always holds: a crawler that cannot
 * be had says why, and is shown with that reason in the results; none is left out silently.
 */
import type { Command } from '../measure/run-command.ts';
import type { WebPlan } from '../web/plan.ts';

export type Preparation =
  | { readonly ready: true; readonly version: string }
  | { readonly ready: false; readonly reason: string };

export interface CrawlJob {
  readonly plan: WebPlan;
  /** Empty, and the crawler's alone; what it leaves there is removed after the run. */
  readonly folder: string;
}

export interface Crawler {
  readonly name: string;
  /** So slow that it gets a smaller web; the results say so. */
  readonly slow: boolean;
  /** Whether it stores the pages; for the results. */
  readonly stores: string;
  /** Installs it under the benchmark's work folder where that is needed. */
  prepare(workFolder: string, report: (text: string) => void): Promise<Preparation>;
  command(job: CrawlJob, workFolder: string): Command;
}
