/**
 * Reads the robots.txt of each host of a unit, through the host's own gate, before any of its pages. In: a host and the
 * stored copy. Out: the host with its ruling, its sitemaps, and a block if robots.txt is unreachable.
 *
 * What always holds: the host is paused while robots.txt is read. A reading that was
 * aborted because the lease ended says nothing about the host.
 */
import type { Clock } from '../../core/clock.ts';
import type { FetchOutcome } from '../../fetch/outcome.ts';
import { LeaseExpiredError } from '../../frontier/host-gate.ts';
import type { RobotsCopy } from '../../store/contract.ts';
import type { Outbox } from './outbox.ts';
import type { Stages } from './pipeline.ts';
import { isFresh, passGate, privateRuling, readRobots } from './robots-keeper.ts';
import type { UnitHost } from './unit-host.ts';

export interface RobotsReading {
  readonly clock: Clock;
  readonly stages: Pick<Stages, 'links' | 'productToken'>;
  readonly outbox: Outbox;
  readonly fetch: (host: UnitHost, url: string) => Promise<FetchOutcome>;
  readonly isDraining: () => boolean;
  /** How often the leases have expired. */
  readonly expiries: () => number;
  readonly returnHost: (host: UnitHost) => void;
  /** Called when the host has its ruling. */
  readonly onRead: () => void;
}

export class UnitRobots {
  readonly #reading: RobotsReading;
  /** Requests for robots.txt in progress. They belong to no URL. */
  underWay = 0;

  constructor(reading: RobotsReading) {
    this.#reading = reading;
  }

  /** Uses the stored copy if it is fresh enough. Otherwise requests robots.txt. */
  rule(host: UnitHost, kept: RobotsCopy | null): void {
    const { clock, stages } = this.#reading;
    if (kept === null || !isFresh(kept, clock.now())) {
      this.#ask(host, kept);
      return;
    }
    host.rule(kept, stages.productToken);
    this.#returnIfClosed(host);
  }

  /**
   * If the lease ended at this very moment and the host is still ours,
   * robots.txt is requested when the lease is valid again.
   */
  #ask(host: UnitHost, kept: RobotsCopy | null): void {
    this.#read(host, kept).catch((error) => {
      if (!(error instanceof LeaseExpiredError)) throw error;
      if (!host.gate.isShut) this.#ask(host, kept);
    });
  }

  async #read(host: UnitHost, kept: RobotsCopy | null): Promise<void> {
    const { clock, stages, outbox, expiries, onRead } = this.#reading;
    host.paused = true;
    const expiriesBefore = expiries();
    const read = await readRobots(host.host, kept, (url) => this.#fetch(host, url), clock);
    if (expiriesBefore !== expiries() || host.gate.isShut)
      throw new LeaseExpiredError('robots.txt was not read in time');
    if (read === 'private-address') host.robots = privateRuling(clock.now());
    else {
      host.setRobots(read, stages.productToken);
      this.#returnIfClosed(host);
    }
    outbox.touched.add(host.hostId);
    if (host.robots !== null) outbox.found.push(...stages.links.sitemapsOf(host.robots, host.host));
    host.paused = false;
    outbox.schedule();
    onRead();
  }

  async #fetch(host: UnitHost, url: string): Promise<FetchOutcome> {
    const { clock, outbox, fetch, isDraining } = this.#reading;
    if (isDraining()) host.gate.shut();
    await passGate(host.gate, clock);
    this.underWay++;
    try {
      return await fetch(host, url);
    } finally {
      this.underWay--;
      // The next holder of the host counts its delay from this request.
      outbox.touched.add(host.hostId);
      if (isDraining()) outbox.schedule();
    }
  }

  /** Blocks a host whose robots.txt is unreachable. */
  #returnIfClosed(host: UnitHost): void {
    const closedUntilMs = host.robots?.closedUntilMs ?? 0;
    if (closedUntilMs <= this.#reading.clock.now()) return;
    host.gate.block(closedUntilMs);
    this.#reading.returnHost(host);
  }
}
