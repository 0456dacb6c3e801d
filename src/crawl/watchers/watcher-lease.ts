/**
 * The lease that a watcher gives (W7) to one crawler at a time. It is requested together with the report. If the server
 * gives the lease, its answer says so. If the watcher reads the access log, a later report names the holder. If nobody
 * gives leases, there is nothing to wait for.
 *
 * What always holds: a lease that was taken and not released is noted in the store, so a killed run
 * does not lock out its own copy: the next run shows the same token. In a cluster it does so only when
 * the worker that noted the lease is dead.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { NoteStore } from '../../store/contract.ts';
import type { ProcessRole } from '../process-role.ts';
import { type Ask, askThere, questionUrl } from './read-report.ts';
import { parseReport, type ReportLease } from './report.ts';

/** A watcher may give less. A lease that is not released expires. */
export const WANTED_SECONDS = { refresh: 900, crawl: 3_600 } as const;
/** How often, and at which interval, a watcher that reads its log is asked whether it has seen our request. */
const MAX_LOG_CHECKS = 4;
const LOG_CHECK_INTERVAL_MS = 2_500;

interface Noted {
  /** The process that took the lease, named as on the leases of hosts. */
  readonly owner?: string;
  readonly holder: string;
  readonly token: string;
  readonly untilMs: number;
}

type LeaseStanding = Pick<ProcessRole, 'owner' | 'isAtWork'>;

export class WatcherLease {
  /** The name by which the site and other crawlers know us. */
  #holder = `orbweaver-${randomBytes(4).toString('hex')}`;
  #token = '';
  readonly #store: NoteStore;
  readonly #role: LeaseStanding;
  /** The name of the note. */
  readonly #name: string;

  constructor(store: NoteStore, role: LeaseStanding, host: string) {
    this.#store = store;
    this.#role = role;
    this.#name = `watcher-lease ${host}`;
  }

  /**
   * Whether another live process of this crawl has the lease. The rule of one crawler at a
   * time also holds among our own workers.
   */
  async isHeldByOther(nowMs: number): Promise<boolean> {
    const noted = await this.#noted();
    if (noted?.owner === undefined || noted.owner === this.#role.owner || noted.untilMs <= nowMs) return false;
    return this.#role.isAtWork(noted.owner);
  }

  async #noted(): Promise<Noted | null> {
    return JSON.parse((await this.#store.note(this.#name)) || 'null') as Noted | null;
  }

  /** The parameters that request the lease. A lease that we already hold is extended. */
  async takeParameters(seconds: number, nowMs: number): Promise<Readonly<Record<string, string>>> {
    const noted = await this.#noted();
    if (noted !== null && noted.untilMs > nowMs) {
      this.#holder = noted.holder;
      await this.#note({ ...noted, owner: this.#role.owner });
    }
    return { take: this.#holder, for: String(seconds), ...(this.#token === '' ? {} : { token: this.#token }) };
  }

  /** Deletes a lease that is no longer valid. */
  async forget(): Promise<void> {
    this.#token = '';
    await this.#store.setNote(this.#name, '');
  }

  /** Whether the site is ours or nobody's now. If not, returns the lease of the holder. */
  async isOurs(ask: Ask, url: string, site: string, lease: ReportLease, clock: Clock): Promise<true | ReportLease> {
    if (lease.by === 'server') await this.took(lease);
    if (lease.by !== 'log') return true;
    for (let checks = 0; ; checks++) {
      if (lease.isHeld && lease.holder !== this.#holder && lease.untilMs > clock.now()) return lease;
      // A watcher that reads its log slowly gives the site to nobody else either.
      if ((lease.isHeld && lease.holder === this.#holder) || checks >= MAX_LOG_CHECKS) return true;
      await new Promise<void>((resolve) => clock.after(LOG_CHECK_INTERVAL_MS, resolve));
      const answer = await askThere(ask, questionUrl(url, null, { limit: '0' }));
      const part = typeof answer === 'string' ? answer : parseReport(answer.decoded, site);
      if (typeof answer !== 'string') answer.release();
      if (typeof part === 'string') return true;
      lease = part.head.lease;
    }
  }

  /** Notes a lease that an answer gave us. */
  async took({ token, untilMs }: ReportLease): Promise<void> {
    if (token === '') return;
    await this.#note({ owner: this.#role.owner, holder: this.#holder, token, untilMs });
  }

  async #note(noted: Noted): Promise<void> {
    this.#token = noted.token;
    await this.#store.setNote(this.#name, JSON.stringify(noted));
  }

  /**
   * Checks the note and not the memory: an earlier attempt of ours may have taken the lease, and another worker may
   * have taken it over because it considered us dead.
   */
  async isTaken(): Promise<boolean> {
    const noted = await this.#noted();
    this.#token = noted?.owner === this.#role.owner ? noted.token : '';
    return this.#token !== '';
  }

  /** Releases the lease. If the request does not arrive, the note stays, so that we do not lock ourselves out. */
  async release(ask: Ask, url: string): Promise<void> {
    if (!(await this.isTaken())) return;
    const answer = await askThere(ask, questionUrl(url, null, { release: this.#token }));
    if (typeof answer === 'string') return;
    answer.release();
    if (answer.status >= 200 && answer.status < 500 && answer.status !== 429) await this.forget();
  }
}
