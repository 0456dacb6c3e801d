/**
 * What all workers go by and any of them may find out, or a new plan may say: the seeds and where they have moved to, what was learned of
 * query parameters, and which hosts a refresh leaves to the word of their watchers.
 */
import type { Cluster } from '../../store/cluster.ts';
import { PARAMETER_VERDICTS, type ParameterLesson, type Store } from '../../store/contract.ts';
import { seedsNoted } from '../crawl-plan.ts';
import { movedSeeds } from '../earlier-runs.ts';

/** Seeds, where they have moved to, all lessons, and those that are new or another since they were last told. */
export type NotesListener = (
  seeds: readonly string[],
  lessons: readonly ParameterLesson[],
  changed: readonly ParameterLesson[],
) => void;

export class SharedNotes {
  readonly #store: Store;
  readonly #cluster: Pick<Cluster, 'notesVersion'>;
  #known: number;
  /** The last version that was told; known it is when all has been done about it. */
  #told = 0;
  #listener: NotesListener = () => {};
  #ledHosts: ReadonlySet<number> = new Set();
  readonly #verdicts = new Map<string, ParameterLesson['verdict']>();

  /** Called after the listener, when anything was noted: what else goes by notes may look. */
  onChange: () => Promise<void> = async () => {};

  /** `known`: the version as of before what this worker has read of them was read. */
  constructor(store: Store, cluster: Pick<Cluster, 'notesVersion'>, known: number) {
    this.#store = store;
    this.#cluster = cluster;
    this.#known = known;
  }

  listen(listener: NotesListener): void {
    this.#listener = listener;
  }

  /** Hosts of which a refresh looks at what their watchers tell: a page that becomes known otherwise has to be marked. */
  get ledHosts(): ReadonlySet<number> {
    return this.#ledHosts;
  }

  async readLedHosts(): Promise<void> {
    this.#ledHosts = await this.#ledNow();
  }

  async #ledNow(): Promise<ReadonlySet<number>> {
    const led = (await this.#store.watchers()).filter(({ cursor }) => cursor !== null);
    return new Set(led.map(({ hostId }) => hostId));
  }

  /** Who is told the same twice begins anew with what it was told: a unit tries a parameter out a few times. */
  #changed(lessons: readonly ParameterLesson[]): readonly ParameterLesson[] {
    const changed = lessons.filter((lesson) => this.#verdicts.get(keyOf(lesson)) !== lesson.verdict);
    for (const lesson of changed) this.#verdicts.set(keyOf(lesson), lesson.verdict);
    return changed;
  }

  /** Resolves when all is known here that was noted until now. */
  async catchUp(): Promise<void> {
    await this.areAt(await this.#cluster.notesVersion());
  }

  async areAt(version: number): Promise<void> {
    if (version <= this.#known) return;
    const seeds = [...(await seedsNoted(this.#store)), ...(await movedSeeds(this.#store))];
    // Those that were taken back as well: who has heard of them must hear of that.
    const lessons = await this.#store.lessons(PARAMETER_VERDICTS.filter((verdict) => verdict !== 'open'));
    const ledHosts = await this.#ledNow();
    // A reading that was slow must not have the last word.
    if (version > this.#told) {
      this.#told = version;
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
