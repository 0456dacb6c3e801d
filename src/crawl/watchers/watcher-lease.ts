/**
 * The lease that a watcher gives (W7): one crawler at a time. It is asked for with the report. Where the server gives it, the answer says so; where
 * the watcher reads the access log, a later report names the holder; where nobody gives it there is nothing to wait for.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { type Ask, questionUrl } from './read-report.ts';
import { parseReport, type ReportLease } from './report.ts';

/** Longer than most runs take; a watcher may give less. One that is not given back ends by itself. */
const WANTED_SECONDS = 3_600;
/** How often, and how long apart, a watcher that reads its log is asked whether it has seen us. */
const LOOKS = 4;
const BETWEEN_LOOKS_MS = 2_500;

export class WatcherLease {
  /** By which the site knows us, and others. */
  readonly holder = `orbweaver-${randomBytes(4).toString('hex')}`;
  #token = '';
  #url = '';

  /** What is asked for with the report. */
  get wish(): Readonly<Record<string, string>> {
    return { take: this.holder, for: String(WANTED_SECONDS) };
  }

  /** Whether the site is ours, or nobody's, now; or else who has it. */
  async isOurs(ask: Ask, url: string, site: string, lease: ReportLease, clock: Clock): Promise<true | ReportLease> {
    this.#url = url;
    if (lease.by === 'server') this.#token = lease.token;
    if (lease.by !== 'log') return true;
    for (let look = 0; ; look++) {
      if (lease.isHeld && lease.holder !== this.holder && lease.untilMs > clock.now()) return lease;
      // A watcher that is slow to read its log gives nobody the site either.
      if ((lease.isHeld && lease.holder === this.holder) || look >= LOOKS) return true;
      await new Promise<void>((resolve) => clock.after(BETWEEN_LOOKS_MS, resolve));
      const answer = await ask(questionUrl(url, null, { limit: '0' }));
      const part = typeof answer === 'string' ? answer : parseReport(answer.decoded, site);
      if (typeof part === 'string') return true;
      lease = part.head.lease;
    }
  }

  get isTaken(): boolean {
    return this.#token !== '';
  }

  /** Gives it back. */
  async release(ask: Ask): Promise<void> {
    if (this.#token === '') return;
    const answer = await ask(questionUrl(this.#url, null, { release: this.#token }));
    this.#token = '';
    if (typeof answer !== 'string') answer.release();
  }
}
