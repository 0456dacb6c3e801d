/** Plans the sitemaps of a site. The plan is made again when the site has changed, but not for every reader. */
import type { ReportSource } from '../report/report-source.ts';
import { planSitemap, type SitemapPart } from './sitemap.ts';

export class SitemapPlanner {
  readonly #source: ReportSource;
  readonly #keepMs: number;
  readonly #nowMs: () => number;
  readonly #breathe: (() => Promise<void>) | undefined;
  #plan: Promise<readonly SitemapPart[]> | null = null;
  #seq = -1;
  #plannedAtMs = 0;

  /**
   * A plan is kept for `keepMs` even if pages change. New pages appear in the part whose
   * range contains them, or in the next plan.
   */
  constructor(
    source: ReportSource,
    { keepMs = 60_000, nowMs = () => performance.now(), breathe }: SitemapDeskOptions = {},
  ) {
    this.#source = source;
    this.#keepMs = keepMs;
    this.#nowMs = nowMs;
    this.#breathe = breathe;
  }

  async plan(): Promise<readonly SitemapPart[]> {
    const { lastSeq } = this.#source.memory;
    const isOld = lastSeq !== this.#seq && this.#nowMs() - this.#plannedAtMs >= this.#keepMs;
    if (this.#plan === null || isOld) {
      this.#seq = lastSeq;
      this.#plannedAtMs = this.#nowMs();
      const plan = planSitemap(this.#source, this.#breathe);
      this.#plan = plan;
      plan.catch(() => {
        if (this.#plan === plan) this.#plan = null;
      });
    }
    return this.#plan;
  }
}

export interface SitemapDeskOptions {
  readonly keepMs?: number;
  readonly nowMs?: () => number;
  readonly breathe?: (() => Promise<void>) | undefined;
}
