/**
 * The lease that a watcher gives (W7): one crawler at a time. It is asked for with the report. Where the server gives it, the answer says so; where
 * the watcher reads the access log, a later report names the holder; where nobody gives it there is nothing to wait for.
 *
 * Always: what was taken and not given back is noted in the store, so that a run that is killed does not keep its own
 * copy out: the next one shows the same token. In a cluster it does so only when whoever noted it is dead.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/contract.ts';
import type { Standing } from '../standing.ts';
import { type Ask, askThere, questionUrl } from './read-report.ts';
import { parseReport, type ReportLease } from './report.ts';

/** A watcher may give less. One that is not given back ends by itself. */
export const WANTED_SECONDS = { refresh: 900, crawl: 3_600 } as const;
/** How often, and how long apart, a watcher that reads its log is asked whether it has seen us. */
const LOOKS = 4;
const BETWEEN_LOOKS_MS = 2_500;

interface Noted {
  /** Who took it, as on the leases of hosts. */
  readonly owner?: string;
  readonly holder: string;
  readonly token: string;
  readonly untilMs: number;
}

type LeaseStanding = Pick<Standing, 'owner' | 'isAtWork'>;

export class WatcherLease {
  /** By which the site knows us, and others. */
  #holder = `orbweaver-${randomBytes(4).toString('hex')}`;
  #token = '';
  readonly #store: Store;
  readonly #standing: LeaseStanding;
  /** Of the note. */
  readonly #name: string;

  constructor(store: Store, standing: LeaseStanding, host: string) {
    this.#store = store;
    this.#standing = standing;
    this.#name = `watcher-lease ${host}`;
  }

  /** Whether another process of this crawl has it, and is at work: it is one crawler at a time, among ourselves too. */
  async isAnothers(nowMs: number): Promise<boolean> {
    const noted = await this.#noted();
    if (noted?.owner === undefined || noted.owner === this.#standing.owner || noted.untilMs <= nowMs) return false;
    return this.#standing.isAtWork(noted.owner);
  }

  async #noted(): Promise<Noted | null> {
    return JSON.parse((await this.#store.note(this.#name)) || 'null') as Noted | null;
  }

  /** What is asked for with the report; what is held already is to last longer. */
  async wish(seconds: number, nowMs: number): Promise<Readonly<Record<string, string>>> {
    const noted = await this.#noted();
    if (noted !== null && noted.untilMs > nowMs) {
      this.#holder = noted.holder;
      await this.#note({ ...noted, owner: this.#standing.owner });
    }
    return { take: this.#holder, for: String(seconds), ...(this.#token === '' ? {} : { token: this.#token }) };
  }

  /** What was noted holds no longer. */
  async forget(): Promise<void> {
    this.#token = '';
    await this.#store.setNote(this.#name, '');
  }

  /** Whether the site is ours, or nobody's, now; or else who has it. */
  async isOurs(ask: Ask, url: string, site: string, lease: ReportLease, clock: Clock): Promise<true | ReportLease> {
    if (lease.by === 'server') await this.took(lease);
    if (lease.by !== 'log') return true;
    for (let look = 0; ; look++) {
      if (lease.isHeld && lease.holder !== this.#holder && lease.untilMs > clock.now()) return lease;
      // A watcher that is slow to read its log gives nobody the site either.
      if ((lease.isHeld && lease.holder === this.#holder) || look >= LOOKS) return true;
      await new Promise<void>((resolve) => clock.after(BETWEEN_LOOKS_MS, resolve));
      const answer = await askThere(ask, questionUrl(url, null, { limit: '0' }));
      const part = typeof answer === 'string' ? answer : parseReport(answer.decoded, site);
      if (typeof answer !== 'string') answer.release();
      if (typeof part === 'string') return true;
      lease = part.head.lease;
    }
  }

  /** An answer gave it to us. */
  async took({ token, untilMs }: ReportLease): Promise<void> {
    if (token === '') return;
    await this.#note({ owner: this.#standing.owner, holder: this.#holder, token, untilMs });
  }

  async #note(noted: Noted): Promise<void> {
    this.#token = noted.token;
    await this.#store.setNote(this.#name, JSON.stringify(noted));
  }

  /** By what is noted: an earlier try of ours may have taken it, and another worker, who took us for dead, may have it from us. */
  async isTaken(): Promise<boolean> {
    const noted = await this.#noted();
    this.#token = noted?.owner === this.#standing.owner ? noted.token : '';
    return this.#token !== '';
  }

  /** Gives it back. Where that did not arrive it stays noted, so that it does not keep ourselves out. */
  async release(ask: Ask, url: string): Promise<void> {
    if (!(await this.isTaken())) return;
    const answer = await askThere(ask, questionUrl(url, null, { release: this.#token }));
    if (typeof answer === 'string') return;
    answer.release();
    if (answer.status >= 200 && answer.status < 500 && answer.status !== 429) await this.forget();
  }
}
