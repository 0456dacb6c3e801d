/**
 * A cluster in memory with a server clock that the test sets. It keeps the promises
 * of the real cluster in the shortest form.
 */
import type { Call, Cluster, ClusterView, WorkerNews, WorkerRecord } from '../../../../src/store/cluster.ts';

export class FakeCluster implements Cluster {
  serverMs = 1_700_000_000_000;
  names: string[] = [];
  /** Hosts that the next heartbeats report as lost. */
  lost: number[] = [];
  /** The positions of hosts on the ring. */
  slotOf: (hostId: number) => number | null = () => null;
  /** Live hosts of every worker except the first. */
  liveHosts = 0;
  #held = 0;
  strays: number[] = [];
  /** Increases when the worker was taken for dead. */
  life = 1;
  isAskedToDrain = false;
  idleOthers = false;
  /** Hosts wanted by every worker. */
  hostsWanted = 0;
  readonly calls: Call[] = [];
  version = 1;
  anyHeld = false;
  isCut = false;
  beats: { readonly held: readonly number[]; readonly news: WorkerNews }[] = [];
  woken = 0;
  drawn = new Map<string, number>();
  pages = 0;
  left: string[] = [];
  /** Called before the response to a heartbeat is sent. */
  onBeat: () => Promise<void> | void = () => {};

  async nowMs(): Promise<number> {
    return this.serverMs;
  }

  async join({ name, machine, pid, archiveDir }: Parameters<Cluster['join']>[0]): Promise<WorkerRecord> {
    this.names.push(name);
    return { ...this.#record(name, `${name}#1`), machine, pid, archiveDir };
  }

  async beat(_owner: string, news: WorkerNews, held: readonly number[]): Promise<ClusterView> {
    if (this.isCut) throw new Error('no way there');
    this.beats.push({ held, news });
    this.#held = held.length;
    await this.onBeat();
    return {
      nowMs: this.serverMs,
      workers: this.names.map((name, i) => this.#record(name, `${name}#${i + 1}`)),
      slots: new Map(held.map((id) => [id, this.slotOf(id)])),
      lost: held.filter((id) => this.lost.includes(id)),
      strays: this.strays.filter((id) => !held.includes(id)),
      life: this.life,
      notesVersion: this.version,
      isAskedToDrain: this.isAskedToDrain,
    };
  }

  #record(name: string, owner: string): WorkerRecord {
    return {
      name,
      owner,
      life: this.life,
      machine: 'm',
      pid: 1,
      archiveDir: '',
      joinedAtMs: 0,
      beatAtMs: this.serverMs,
      isAlive: true,
      pages: 0,
      pagesPerSecond: 0,
      failures: 0,
      rssMb: 0,
      liveHosts: owner.endsWith('#1') ? this.#held : this.liveHosts,
      underWay: 0,
      units: 1,
      window: 1,
      isIdle: this.idleOthers,
      isDraining: false,
      hostsWanted: this.hostsWanted,
      lastError: null,
    };
  }

  async leave(owner: string): Promise<void> {
    this.left.push(owner);
  }

  async workers(): Promise<readonly WorkerRecord[]> {
    return [];
  }

  async askToDrain(): Promise<boolean> {
    return false;
  }

  async isAnyHeld(): Promise<boolean> {
    return this.anyHeld;
  }

  async notesVersion(): Promise<number> {
    return this.version;
  }

  async addMovedSeed(): Promise<void> {
    this.version++;
  }

  async noteChanged(): Promise<void> {
    this.version++;
  }

  async wakeOthers(call: Call): Promise<void> {
    this.woken++;
    this.calls.push(call);
  }

  async onWake(): Promise<void> {}

  async drawPages(owner: string, pages: number, limit: number): Promise<number> {
    const before = this.drawn.get(owner) ?? 0;
    const all = [...this.drawn.values()].reduce((sum, one) => sum + one, 0);
    const given = pages > 0 ? Math.max(0, Math.min(pages, limit - this.pages - all)) : Math.max(pages, -before);
    this.drawn.set(owner, before + given);
    return given;
  }
}
