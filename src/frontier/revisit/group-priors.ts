/**
 * Learns the prior of each group of pages from a sample. The prior of all pages is based on the first prior, the
 * prior of a host on that of all pages, and the prior of a path pattern on that of its host. A group with few
 * observed pages uses the prior of its parent. The required number of pages grows with the number of groups, so that
 * priors keep to their share of the memory.
 */
import type { PageColumns } from './page-columns.ts';
import type { PageGroups } from './page-groups.ts';
import { RATES } from './rate-grid.ts';
import { FIRST_PRIOR, learnPrior, writeLikelihood } from './rate-prior.ts';

/** A group needs at least this many pages with two or more visits to get its own prior. */
const LEAST_PAGES = 6;
/** Enough pages for a shape of a few parameters. Together these limits bound the time. */
const MOST_OF_GROUP = 256;
const MOST_OF_HOST = 1_024;
const MOST_OF_ALL = 4_096;
const MOST_SAMPLED = 65_536;
/**
 * Limits the number of groups with their own prior: this many, plus one per `PAGES_A_PRIOR`
 * pages. That is 1.5 bytes per page.
 */
const FREE_PRIORS = 256;
const PAGES_A_PRIOR = 256;

export class GroupPriors {
  readonly #columns: PageColumns;
  readonly #groups: PageGroups;
  #likelihoods = new Float32Array(0);
  #priors: Float32Array[] = [FIRST_PRIOR];
  /** Maps a group to an index of `#priors`. Groups that were made after the last `learn` use the prior of all pages. */
  #priorOf = new Uint32Array(0);

  constructor(columns: PageColumns, groups: PageGroups) {
    this.#columns = columns;
    this.#groups = groups;
  }

  readonly of = (group: number): Float32Array => {
    const index = this.#priorOf[group] ?? this.#priorOf[this.#groups.hostGroupOf(group)] ?? 0;
    return this.#priors[index] as Float32Array;
  };

  learn(): void {
    const sample = sampleByGroup(this.#columns, this.#groups);
    this.#likelihoods = new Float32Array(RATES.length * Math.min(MOST_OF_ALL, sample.places.length));
    const everybody = this.#learn([sample.places], MOST_OF_ALL, FIRST_PRIOR);
    const priors = [everybody];
    const least = this.#leastPages(sample);
    const priorOf = new Uint32Array(this.#groups.count);
    const byHost = Uint32Array.from({ length: this.#groups.count }, (_, i) => i);
    const hostOf = (group: number) => this.#groups.hostGroupOf(group);
    byHost.sort((a, b) => hostOf(a) - hostOf(b) || a - b);
    for (let from = 0, to = 0; from < byHost.length; from = to) {
      while (to < byHost.length && hostOf(byHost[to]!) === hostOf(byHost[from]!)) to++;
      const groups = byHost.subarray(from, to);
      const samples = Array.from(groups, sample.of);
      let ofHost = 0;
      if (sample.ofHost(groups[0]!) >= least) ofHost = priors.push(this.#learn(samples, MOST_OF_HOST, everybody)) - 1;
      for (const [i, group] of groups.entries()) {
        const own = samples[i]!;
        const enough = groups.length > 1 && sample.pages[group]! >= least;
        priorOf[group] = enough ? priors.push(this.#learn([own], MOST_OF_GROUP, priors[ofHost]!)) - 1 : ofHost;
      }
    }
    this.#likelihoods = new Float32Array(0);
    this.#priors = priors;
    this.#priorOf = priorOf;
  }

  get bytes(): number {
    return this.#priorOf.byteLength + this.#priors.length * FIRST_PRIOR.byteLength;
  }

  /** Doubles the required number of pages until few enough groups reach it. */
  #leastPages({ pages, ofHost }: Sample): number {
    const allowed = FREE_PRIORS + this.#columns.count / PAGES_A_PRIOR;
    for (let least = LEAST_PAGES; ; least *= 2) {
      let priors = 0;
      for (let group = 0; group < pages.length; group++) {
        if (pages[group]! >= least) priors++;
        if (this.#groups.hostGroupOf(group) === group && ofHost(group) >= least) priors++;
      }
      if (priors <= allowed) return least;
    }
  }

  /** Uses at most `most` of the pages, spread evenly over all samples. */
  #learn(samples: readonly Uint32Array[], most: number, parent: Float32Array): Float32Array {
    const pages = sum(samples);
    let used = 0;
    let seen = 0;
    for (const places of samples) {
      for (const place of places) {
        if (Math.floor((++seen * Math.min(most, pages)) / pages) <= used) continue;
        writeLikelihood(this.#likelihoods, used++ * RATES.length, this.#columns.evidenceOf(place));
      }
    }
    return learnPrior(this.#likelihoods, used, parent);
  }
}

function sum(samples: readonly Uint32Array[]): number {
  return samples.reduce((pages, { length }) => pages + length, 0);
}

interface Sample {
  /** For each group, the number of pages with two or more visits, sampled or not. */
  readonly pages: Uint32Array;
  /** The same number for all groups of the group's host. */
  readonly ofHost: (group: number) => number;
  readonly places: Uint32Array;
  readonly of: (group: number) => Uint32Array;
}

/** Samples pages with two or more visits, group by group, spread evenly over each group. */
function sampleByGroup(columns: PageColumns, pageGroups: PageGroups): Sample {
  const { count } = pageGroups;
  const pages = new Uint32Array(count);
  forEachSeen(columns, (_, group) => pages[group]!++);
  const ofHosts = new Uint32Array(count);
  for (let group = 0; group < count; group++) ofHosts[pageGroups.hostGroupOf(group)]! += pages[group]!;
  const groups = pages.reduce((some, each) => some + (each > 0 ? 1 : 0), 0);
  const most = Math.min(MOST_OF_GROUP, Math.max(LEAST_PAGES, Math.floor(MOST_SAMPLED / Math.max(1, groups))));
  const starts = new Uint32Array(count + 1);
  for (let group = 0; group < count; group++) starts[group + 1] = starts[group]! + Math.min(most, pages[group]!);
  const places = new Uint32Array(starts[count]!);
  const used = new Uint32Array(count);
  const seen = new Uint32Array(count);
  forEachSeen(columns, (place, group) => {
    const wanted = starts[group + 1]! - starts[group]!;
    if (Math.floor((++seen[group]! * wanted) / pages[group]!) <= used[group]!) return;
    places[starts[group]! + used[group]!++] = place;
  });
  const ofHost = (group: number) => ofHosts[pageGroups.hostGroupOf(group)]!;
  return { pages, ofHost, places, of: (group) => places.subarray(starts[group], starts[group + 1]) };
}

function forEachSeen(columns: PageColumns, visit: (place: number, group: number) => void): void {
  for (let place = 0; place < columns.count; place++) {
    const block = columns.blockOf(place);
    const row = columns.rowOf(place);
    if (block.changes[row]! > 0 || block.quietMs[row]! > 0) visit(place, block.groups[row]!);
  }
}
