/**
 * The benchmark's description of a crawler: how to install it, and how to start it on a web.
 *
 * Each crawler has one file, and its own script (in its own language) in a folder beside it. What always holds: a
 * crawler that cannot be installed gives a reason, and the results show that reason. No crawler is left out silently.
 */
import type { Command } from '../../testbed/measure/run-command.ts';
import type { WebPlan } from '../web/plan.ts';

export type Preparation =
  | { readonly ready: true; readonly version: string }
  | { readonly ready: false; readonly reason: string };

export interface CrawlJob {
  readonly plan: WebPlan;
  /** An empty folder for this crawler only. It is removed after the run. */
  readonly folder: string;
}

export interface Crawler {
  readonly name: string;
  /** True for a crawler that is so slow that it gets a smaller web. The results mention it. */
  readonly slow: boolean;
  /** Whether and how the crawler stores the pages; shown in the results. */
  readonly stores: string;
  /** Installs the crawler under the benchmark's work folder if necessary. */
  prepare(workFolder: string, report: (text: string) => void): Promise<Preparation>;
  command(job: CrawlJob, workFolder: string): Command;
}
