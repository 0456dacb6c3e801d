/**
 * Groups of pages that are assumed to be alike: the pages of one host whose paths share a pattern, and all pages of a
 * host. Each group has a number, and each page stores the number of its group.
 *
 * What always holds: the number of groups is bounded by the number of pages, however many patterns a host has. Pages of
 * further patterns belong to the group of the host. A group takes at most 56 bytes.
 */
const FIRST_SLOTS = 256;
/** A host may have this many patterns, plus one per `PAGES_A_PATTERN` pages. */
const FREE_PATTERNS = 8;
const PAGES_A_PATTERN = 32;
const MOST_PATTERNS = 1_024;

export class PageGroups {
  #slots = new Uint32Array(FIRST_SLOTS);
  #hosts = new Uint32Array(FIRST_SLOTS / 2);
  #patterns = new Uint32Array(FIRST_SLOTS / 2);
  #hostGroups = new Uint32Array(FIRST_SLOTS / 2);
  /** For a host group: the number of all pages of the host. */
  #pages = new Uint32Array(FIRST_SLOTS / 2);
  #patternCounts = new Uint32Array(FIRST_SLOTS / 2);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#slots.byteLength + 5 * this.#hosts.byteLength;
  }

  /** The group of all pages of the same host. A host group returns itself. */
  hostGroupOf(group: number): number {
    return this.#hostGroups[group] as number;
  }

  hostOf(group: number): number {
    return this.#hosts[group] as number;
  }

  /** Counts a page and returns its group. */
  add(host: number, pattern: number): number {
    const host32 = host >>> 0;
    const pattern32 = pattern >>> 0;
    let hostGroup = this.#find(host32, 0, true);
    if (hostGroup < 0) hostGroup = this.#make(host32, 0, -1);
    (this.#pages[hostGroup] as number)++;
    const found = this.#find(host32, pattern32, false);
    if (found >= 0) return found;
    const pages = this.#pages[hostGroup] as number;
    const allowed = Math.min(MOST_PATTERNS, FREE_PATTERNS + pages / PAGES_A_PATTERN);
    if ((this.#patternCounts[hostGroup] as number) >= allowed) return hostGroup;
    (this.#patternCounts[hostGroup] as number)++;
    return this.#make(host32, pattern32, hostGroup);
  }

  #find(host: number, pattern: number, whole: boolean): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(host, pattern, whole) & mask; ; slot = (slot + 1) & mask) {
      const group = (this.#slots[slot] as number) - 1;
      if (group < 0) return -1;
      if (this.#hosts[group] !== host || (this.#hostGroups[group] === group) !== whole) continue;
      if (whole || this.#patterns[group] === pattern) return group;
    }
  }

  #make(host: number, pattern: number, hostGroup: number): number {
    if (this.#count === this.#hosts.length) this.#enlarge();
    const group = this.#count++;
    this.#hosts[group] = host;
    this.#patterns[group] = pattern;
    this.#hostGroups[group] = hostGroup < 0 ? group : hostGroup;
    this.#put(group);
    return group;
  }

  #put(group: number): void {
    const mask = this.#slots.length - 1;
    const whole = this.#hostGroups[group] === group;
    let slot = hashOf(this.#hosts[group] as number, this.#patterns[group] as number, whole) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = group + 1;
  }

  #enlarge(): void {
    this.#hosts = twice(this.#hosts);
    this.#patterns = twice(this.#patterns);
    this.#hostGroups = twice(this.#hostGroups);
    this.#pages = twice(this.#pages);
    this.#patternCounts = twice(this.#patternCounts);
    this.#slots = new Uint32Array(this.#hosts.length * 2);
    for (let group = 0; group < this.#count; group++) this.#put(group);
  }
}

function hashOf(host: number, pattern: number, whole: boolean): number {
  let hash = Math.imul(host ^ (whole ? 0x5bd1e995 : 0), 0x9e3779b1) ^ Math.imul(whole ? 0 : pattern, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

function twice(from: Uint32Array): Uint32Array<ArrayBuffer> {
  const to = new Uint32Array(from.length * 2);
  to.set(from);
  return to;
}
