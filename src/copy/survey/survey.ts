/**
 * A survey of all URLs of a copy. In: the store, read in slices. Out: the folders of each host with the number, size
 * and states of their URLs, examples for each reason, and the URLs whose links are broken.
 *
 * What always holds: memory is bounded. A survey has at most 100,000 folders; a folder that would be one too many
 * counts for the folder above it. What was read so far can be asked for at any time.
 */
import type { Reason } from '../../core/reasons.ts';
import type { OverviewStore, UrlGlance, UrlState } from '../../store/contract.ts';

const URLS_PER_SLICE = 5_000;
const MOST_FOLDERS = 100_000;
/** URLs of a folder that can be listed. */
const MOST_LISTED = 500;
const MOST_EXAMPLES = 5;
const MOST_BROKEN = 100_000;
const MOST_DEPTH = 30;
const MAX_SEGMENT_CHARS = 300;

/** Links to URLs with these reasons lead nowhere. */
const BROKEN: ReadonlySet<Reason> = new Set<Reason>([
  'not-found',
  'gone',
  'forbidden',
  'client-error',
  'server-error',
  'dns-failed',
  'connect-failed',
  'connect-timeout',
  'tls-failed',
  'too-many-redirects',
  'redirect-loop',
  'bad-redirect',
  'soft-404',
]);

export class Folder {
  readonly name: string;
  urls = 0;
  bytes = 0;
  readonly states: Partial<Record<UrlState, number>> = {};
  /** The first URLs that are directly in this folder. */
  readonly ids: number[] = [];
  children: Map<string, Folder> | null = null;
  /** Some URLs of deeper folders count here. */
  isMerged = false;

  constructor(name: string) {
    this.name = name;
  }

  add({ state, bytes }: UrlGlance): void {
    this.urls++;
    this.bytes += bytes;
    this.states[state] = (this.states[state] ?? 0) + 1;
  }
}

export class Survey {
  readonly #store: Pick<OverviewStore, 'glances'>;
  readonly startedAtMs = Date.now();
  /** Null while the survey is not complete. */
  endedAtMs: number | null = null;
  readonly #hosts = new Map<string, Folder>();
  readonly #examples = new Map<Reason, string[]>();
  /** Ids of URLs whose links are broken, ascending. */
  readonly broken: number[] = [];
  brokenTotal = 0;
  #folders = 0;

  constructor(store: Pick<OverviewStore, 'glances'>) {
    this.#store = store;
  }

  /** Reads everything. Gives way to other work after each slice. */
  async run(rest: () => Promise<void>): Promise<void> {
    for (let after = 0; ; ) {
      const slice = await this.#store.glances(after, URLS_PER_SLICE);
      for (const glance of slice) this.#add(glance);
      const last = slice.at(-1);
      if (last === undefined) break;
      after = last.id;
      await rest();
    }
    this.endedAtMs = Date.now();
  }

  examplesOf(reason: Reason): readonly string[] {
    return this.#examples.get(reason) ?? [];
  }

  /** The folder of a path that begins and ends with a slash; null if there is none. */
  folderAt(host: string, path: string): Folder | null {
    let folder = this.#hosts.get(host) ?? null;
    for (const segment of segmentsOf(path)) folder = folder?.children?.get(segment) ?? null;
    return folder;
  }

  #add(glance: UrlGlance): void {
    const { host, url, reason, state } = glance;
    if (reason !== null && state !== 'waiting') this.#addReason(glance, reason);
    let folder = this.#hosts.get(host);
    if (folder === undefined) {
      folder = new Folder('/');
      this.#hosts.set(host, folder);
    }
    folder.add(glance);
    for (const segment of segmentsOf(folderPath(url, host))) {
      const child = this.#childOf(folder, segment);
      if (child === null) {
        folder.isMerged = true;
        break;
      }
      folder = child;
      folder.add(glance);
    }
    if (folder.ids.length < MOST_LISTED) folder.ids.push(glance.id);
  }

  #childOf(folder: Folder, segment: string): Folder | null {
    const known = folder.children?.get(segment);
    if (known !== undefined) return known;
    if (this.#folders >= MOST_FOLDERS) return null;
    this.#folders++;
    const child = new Folder(segment);
    folder.children ??= new Map();
    folder.children.set(segment, child);
    return child;
  }

  #addReason({ id, url }: UrlGlance, reason: Reason): void {
    const examples = this.#examples.get(reason);
    if (examples === undefined) this.#examples.set(reason, [url]);
    else if (examples.length < MOST_EXAMPLES) examples.push(url);
    if (!BROKEN.has(reason)) return;
    this.brokenTotal++;
    if (this.broken.length < MOST_BROKEN) this.broken.push(id);
  }
}

/** The path of a URL up to its last slash, without its query. */
function folderPath(url: string, host: string): string {
  const query = url.indexOf('?', host.length);
  const path = url.slice(host.length, query < 0 ? url.length : query);
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function segmentsOf(path: string): string[] {
  const segments = path.split('/').slice(1, -1);
  return segments.slice(0, MOST_DEPTH).map((segment) => segment.slice(0, MAX_SEGMENT_CHARS));
}
