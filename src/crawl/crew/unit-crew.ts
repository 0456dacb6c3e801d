/**
 * The crawler units of a controller. All start with the same setup, dead units are replaced, and their number follows
 * the work. A dismissed unit gets no new work and leaves when all its URLs are settled.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import type { ParameterLesson } from '../../store/contract.ts';
import type { FromUnit, ToUnit, UnitSetup } from '../unit/messages.ts';
import type { UnitDeaths } from './unit-monitor.ts';
import { UnitThread } from './unit-thread.ts';

export class UnitCrew {
  /** The units that receive work. This array is never replaced. */
  readonly units: UnitThread[] = [];
  /** Dismissed units that have not left yet. */
  readonly leaving = new Set<UnitThread>();
  readonly setup: Omit<UnitSetup, 'parsing' | 'name'>;
  readonly #deaths: UnitDeaths;
  readonly #onMessage: (unit: UnitThread, message: FromUnit) => void;
  readonly #onDeath: (unit: UnitThread, cause: string) => void;
  #created = 0;

  constructor(
    setup: Omit<UnitSetup, 'parsing' | 'name'>,
    units: readonly UnitThread[],
    deaths: UnitDeaths,
    onMessage: (unit: UnitThread, message: FromUnit) => void,
    onDeath: (unit: UnitThread, cause: string) => void,
  ) {
    this.setup = setup;
    this.#deaths = deaths;
    this.#onMessage = onMessage;
    this.#onDeath = onDeath;
    for (const unit of units) this.units.push(this.#started(unit));
    this.#created = units.length;
  }

  /** All units, including the leaving ones. */
  get all(): readonly UnitThread[] {
    return this.leaving.size === 0 ? this.units : [...this.units, ...this.leaving];
  }

  broadcast(message: ToUnit, besides: UnitThread | null = null): void {
    for (const unit of this.all) if (unit !== besides) unit.post(message);
  }

  /** Takes over the findings of other workers: moved seeds, all lessons, and the lessons that are new to the units. */
  adopt(seeds: readonly string[], lessons: readonly ParameterLesson[], changed: readonly ParameterLesson[]): void {
    const known = new Set(this.setup.seeds);
    for (const url of seeds) {
      if (known.has(url)) continue;
      this.setup.seeds.push(url);
      this.broadcast({ type: 'seed', url });
    }
    this.setup.lessons = lessons.filter(({ verdict }) => verdict === 'probed' || verdict === 'ignored');
    if (changed.length > 0) this.broadcast({ type: 'lessons', lessons: changed });
  }

  /** Starts units, or dismisses units, until `count` units receive work. */
  resize(count: number): void {
    while (this.units.length < count) this.#add();
    while (this.units.length > count) this.#dismiss();
  }

  #add(): void {
    const name = this.units[0]!.name.replace(/unit\d+(-\d+)?$/, `unit${this.#created++}`);
    this.units.push(this.#started(new UnitThread(name)));
  }

  /** Dismisses the unit with the least work. */
  #dismiss(): void {
    const unit = this.units.reduce((least, one) => (one.assigned < least.assigned ? one : least));
    this.units.splice(this.units.indexOf(unit), 1);
    this.leaving.add(unit);
  }

  /** Removes and returns the leaving units whose URLs are all settled. */
  takeFree(): readonly UnitThread[] {
    const free = [...this.leaving].filter(({ assigned }) => assigned === 0);
    for (const unit of free) this.leaving.delete(unit);
    return free;
  }

  /** Replaces a dead unit, unless it was leaving. Throws after too many deaths: they show a bug in the program. */
  replace(dead: UnitThread, cause: string): UnitThread | null {
    publish('crawl/warning', { message: `${dead.name} died (${cause}); a new unit replaces it` });
    const death = this.#deaths.add();
    if (this.#deaths.areTooMany) throw new OrbweaverError('ERR_INTERNAL', `crawler units keep dying: ${cause}`);
    if (this.leaving.delete(dead)) return null;
    const firstName = dead.name.replace(/-\d+$/, '');
    const replacement = this.#started(new UnitThread(`${firstName}-${death}`));
    this.units[this.units.indexOf(dead)] = replacement;
    return replacement;
  }

  async end(): Promise<void> {
    await Promise.all(this.all.map((unit) => unit.end()));
  }

  #started(unit: UnitThread): UnitThread {
    unit.start(this.setup, this.#onMessage, this.#onDeath);
    return unit;
  }
}
