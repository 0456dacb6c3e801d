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
  #reading: Promise<void> = Promise.resolve();
  #listener: NotesListener = () => {};
  #ledHosts: ReadonlySet<number> = new Set();
  readonly #told = new Map<string, ParameterLesson['verdict']>();

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
    const led = (await this.#store.watchers()).filter(({ cursor }) => cursor !== null);
    this.#ledHosts = new Set(led.map(({ hostId }) => hostId));
  }

  /** Who is told the same twice begins anew with what it was told: a unit tries a parameter out a few times. */
  #changed(lessons: readonly ParameterLesson[]): readonly ParameterLesson[] {
    const changed = lessons.filter((lesson) => this.#told.get(keyOf(lesson)) !== lesson.verdict);
    for (const lesson of changed) this.#told.set(keyOf(lesson), lesson.verdict);
    return changed;
  }

  /** Resolves when all is known here that was noted until now. */
  async catchUp(): Promise<void> {
    await this.areAt(await this.#cluster.notesVersion());
  }

  /** One reading after the other: an older one that is slow must not have the last word. */
  areAt(version: number): Promise<void> {
    const reading = this.#reading.then(() => this.#read(version));
    this.#reading = reading.catch(() => {});
    return reading;
  }

  async #read(version: number): Promise<void> {
    if (version <= this.#known) return;
    const seeds = [...(await seedsNoted(this.#store)), ...(await movedSeeds(this.#store))];
    // Those that were taken back as well: who has heard of them must hear of that.
    const lessons = await this.#store.lessons(PARAMETER_VERDICTS.filter((verdict) => verdict !== 'open'));
    await this.readLedHosts();
    this.#listener(seeds, lessons, this.#changed(lessons));
    await this.onChange();
    this.#known = Math.max(this.#known, version);
  }
}

function keyOf({ host, space, name }: ParameterLesson): string {
  return JSON.stringify([host, space, name]);
}
