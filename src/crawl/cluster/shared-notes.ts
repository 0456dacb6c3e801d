/**
 * Facts that all workers use, and that any worker or a new plan can change: the seeds and the targets of their
 * redirects, the lessons about query parameters, and the hosts that a refresh leaves to their watchers.
 */
import type { Cluster } from '../../store/cluster.ts';
import { PARAMETER_VERDICTS, type ParameterLesson, type Store } from '../../store/contract.ts';
import { movedSeeds, seedsNoted } from '../earlier-runs.ts';

/**
 * Receives the seeds with the targets of their redirects, all lessons, and the lessons
 * that are new or changed since the last call.
 */
export type NotesListener = (
  seeds: readonly string[],
  lessons: readonly ParameterLesson[],
  changed: readonly ParameterLesson[],
) => void;

export class SharedNotes {
  readonly #store: Store;
  readonly #cluster: Pick<Cluster, 'notesVersion'>;
  #known: number;
  /** The last version that was passed to the listener. `#known` follows when all its effects are done. */
  #passedOn = 0;
  #listener: NotesListener = () => {};
  #ledHosts: ReadonlySet<number> = new Set();
  readonly #verdicts = new Map<string, ParameterLesson['verdict']>();

  /** Called after the listener when the notes changed, for other code that depends on notes. */
  onChange: () => Promise<void> = async () => {};

  /** `known`: the version before this worker read the notes. */
  constructor(store: Store, cluster: Pick<Cluster, 'notesVersion'>, known: number) {
    this.#store = store;
    this.#cluster = cluster;
    this.#known = known;
  }

  listen(listener: NotesListener): void {
    this.#listener = listener;
  }

  /** Hosts that a refresh leaves to their watchers. A page of them that becomes known in another way must be marked. */
  get ledHosts(): ReadonlySet<number> {
    return this.#ledHosts;
  }

  async readCoveredHosts(): Promise<void> {
    this.#ledHosts = await this.#ledNow();
  }

  async #ledNow(): Promise<ReadonlySet<number>> {
    const led = (await this.#store.watchers()).filter(({ cursor }) => cursor !== null);
    return new Set(led.map(({ hostId }) => hostId));
  }

  /** Repeating a lesson would reset it: a unit probes a parameter only a few times. */
  #changed(lessons: readonly ParameterLesson[]): readonly ParameterLesson[] {
    const changed = lessons.filter((lesson) => this.#verdicts.get(keyOf(lesson)) !== lesson.verdict);
    for (const lesson of changed) this.#verdicts.set(keyOf(lesson), lesson.verdict);
    return changed;
  }

  /** Resolves when all notes up to now are known here. */
  async catchUp(): Promise<void> {
    await this.readUpTo(await this.#cluster.notesVersion());
  }

  async readUpTo(version: number): Promise<void> {
    if (version <= this.#known) return;
    const seeds = [...(await seedsNoted(this.#store)), ...(await movedSeeds(this.#store))];
    // Includes revoked lessons: units that know them must learn of it.
    const lessons = await this.#store.lessons(PARAMETER_VERDICTS.filter((verdict) => verdict !== 'open'));
    const ledHosts = await this.#ledNow();
    // A slow read must not overwrite a newer version.
    if (version > this.#passedOn) {
      this.#passedOn = version;
      this.#ledHosts = ledHosts;
      this.#listener(seeds, lessons, this.#changed(lessons));
    }
    await this.onChange();
    this.#known = Math.max(this.#known, version);
  }
}

function keyOf({ host, space, name }: ParameterLesson): string {
  return JSON.stringify([host, space, name]);
}
