/**
 * A living site with a watcher beside it, written from docs/watcher-report.md alone. The watcher reports the edits of
 * the test, and can misbehave in named ways.
 */
import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type LivingSite, startLivingSite, type Validators } from './living-site.ts';
import type { Visit } from './local-web.ts';

export const MISBEHAVIOURS = [
  'vanished',
  'corrupt-json',
  'other-version',
  'other-site',
  'huge',
  'endless-more',
  'endless-cursors',
  'cut-off',
  'slow-drip',
  'silent',
  'crying-wolf',
  'redirect-away',
  'deletes-everything',
  'outside-urls',
  'long-line',
  'gzip-bomb',
  'wrong-count',
  'html',
  'hangs-up',
] as const;
export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

/** Misbehaviours whose answer is not a watcher's answer at all. */
const LEASELESS: ReadonlySet<Misbehaviour> = new Set<Misbehaviour>([
  'vanished',
  'html',
  'redirect-away',
  'huge',
  'gzip-bomb',
  'hangs-up',
  'slow-drip',
  'other-version',
  'other-site',
]);

type Kind = 'new' | 'updated' | 'deleted';

interface Told {
  readonly seq: number;
  readonly kind: Kind;
  readonly path: string;
  readonly to?: string;
}

export interface WatchedSite {
  readonly site: LivingSite;
  readonly watcher: Watcher;
  /** Writes a page. The watcher sees the edit unless `isSeen` is false. */
  edit(path: string, body: string, isSeen?: boolean): void;
  remove(path: string, isSeen?: boolean): void;
  /** Paths of the pages that were requested since `site.forget`, without the report and robots.txt. */
  asked(): string[];
}

export class Watcher {
  misbehaves: Misbehaviour | null = null;
  /** Serves the report as a plain web server would serve a file, with the changes from this number on. */
  plainFileSince: number | null = null;
  leaseBy: 'server' | 'log' | 'none' = 'server';
  held: { holder: string; untilMs: number; token: string } | null = null;
  retryAfterSeconds = 60;
  epoch = 'e1';
  seq = 0;
  partSize = 10_000;
  /** The time up to which the watcher has looked; null means now. */
  atMs: number | null = null;
  /** Queries of all requests for the report, in order. */
  readonly queries: URLSearchParams[] = [];
  readonly changes: Told[] = [];
  /** Called before an answer is made. */
  onAsk: (query: URLSearchParams) => void = () => {};
  readonly #site: LivingSite;
  readonly #isCovered: (path: string) => boolean;

  constructor(site: LivingSite, isCovered: (path: string) => boolean) {
    this.#site = site;
    this.#isCovered = isCovered;
  }

  tell(kind: Kind, path: string, to?: string): void {
    this.changes.push({ seq: ++this.seq, kind, path, ...(to === undefined ? {} : { to }) });
  }

  /** Forgets everything, as after a loss of its memory. */
  forget(): void {
    this.epoch = `e${Number(this.epoch.slice(1)) + 1}`;
    this.changes.length = 0;
    this.seq = 0;
  }

  answer = ({ path, response, socket, origin }: Visit): void => {
    const query = new URL(path, origin).searchParams;
    this.queries.push(query);
    this.onAsk(query);
    const taken = this.misbehaves !== null && LEASELESS.has(this.misbehaves) ? {} : this.#lease(query);
    if (taken === null) {
      response.writeHead(409, { 'retry-after': String(this.retryAfterSeconds) });
      response.end(
        JSON.stringify({ lease: { by: 'server', held: true, holder: this.held?.holder, until: this.#until() } }),
      );
      return;
    }
    switch (this.misbehaves) {
      case 'vanished':
        response.writeHead(404).end('not here');
        return;
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
        return;
      case 'redirect-away':
        response.writeHead(302, { location: 'http://127.0.0.9:9/report' }).end();
        return;
      case 'huge':
        response.writeHead(200);
        response.end(Buffer.alloc(17_000_000, `${JSON.stringify({ url: '/x', change: 'updated', seq: 1 })}\n`));
        return;
      case 'gzip-bomb':
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64_000_000, 'a')));
        return;
      case 'hangs-up':
        socket.destroy();
        return;
      case 'slow-drip': {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(timer));
        return;
      }
      case 'cut-off':
        response.writeHead(200).end(this.#text(origin, query, taken).split('\n').slice(0, -2).join('\n'));
        return;
      case 'corrupt-json':
        response.writeHead(200).end(this.#text(origin, query, taken).replace('"change"', '"change'));
        return;
      case 'long-line':
        response
          .writeHead(200)
          .end(`${this.#text(origin, query, taken)}`.replace('\n', `\n{"x":"${'y'.repeat(10_000_000)}"}\n`));
        return;
      default:
        response.writeHead(200, { 'content-type': 'application/jsonl' });
        response.end(this.#text(origin, query, taken));
    }
  };

  #lease(query: URLSearchParams): { token?: string; limit?: number } | null {
    const nowMs = Date.now();
    if (this.held !== null && this.held.untilMs <= nowMs) this.held = null;
    if (query.get('release') !== null) {
      if (this.held?.token === query.get('release')) this.held = null;
      return { limit: 0 };
    }
    const holder = query.get('take');
    if (holder === null || this.leaseBy !== 'server') return {};
    if (this.held !== null && this.held.token !== query.get('token')) return null;
    this.held = { holder, untilMs: nowMs + 1_000 * Number(query.get('for')), token: randomBytes(6).toString('hex') };
    return { token: this.held.token };
  }

  #text(origin: string, query: URLSearchParams, more: { token?: string; limit?: number } = {}): string {
    const asked = query.get('since');
    const [epoch, number] = asked?.split('.') ?? [];
    const limit = Math.min(this.partSize, more.limit ?? Number(query.get('limit') ?? 10_000));
    const isListing =
      this.plainFileSince === null &&
      (asked === null || epoch?.startsWith(this.epoch) === false || asked.includes('@'));
    const { entries, cursor, isMore } = isListing
      ? this.#listing(epoch ?? '', limit)
      : this.#since(this.plainFileSince ?? Number(number), limit);
    const isBad = (name: Misbehaviour): boolean => this.misbehaves === name;
    const lines = isBad('silent') ? [] : entries;
    if (isBad('crying-wolf'))
      for (const path of this.#paths().slice(0, 50)) lines.push(this.#entry('updated', path, 1, 'wolf'));
    if (isBad('deletes-everything')) for (const path of this.#paths()) lines.push(this.#entry('deleted', path, 1));
    if (isBad('outside-urls')) lines.push({ url: '//evil.test/x', change: 'updated', seq: 9 });
    const head = {
      'orbweaver-report': isBad('other-version') ? 2 : 1,
      site: isBad('other-site') ? 'http://other.test' : origin,
      since: isListing ? null : `${this.epoch}.${this.plainFileSince ?? number}`,
      cursor: isBad('endless-cursors') ? `${this.epoch}.${randomBytes(4).toString('hex')}` : cursor,
      more: isMore || isBad('endless-more') || isBad('endless-cursors'),
      listing: isListing,
      pages: this.#paths().length,
      at: new Date(this.atMs ?? Date.now()).toISOString(),
      lease: {
        by: this.leaseBy,
        held: this.held !== null,
        holder: this.held?.holder,
        until: this.#until(),
        token: more.token,
      },
    };
    const end = { end: true, entries: lines.length + (isBad('wrong-count') ? 1 : 0) };
    return `${[head, ...lines, end].map((line) => JSON.stringify(line)).join('\n')}\n`;
  }

  #until(): string | undefined {
    return this.held === null ? undefined : new Date(this.held.untilMs).toISOString();
  }

  #paths(): string[] {
    const pages = [...this.#site.pages].filter(([path, page]) => 'body' in page && this.#isCovered(path));
    return pages.map(([path]) => path);
  }

  #listing(epoch: string, limit: number): { entries: object[]; cursor: string; isMore: boolean } {
    // `e1@<seq>@<place>.0`: the position at which the listing continues, and the change number from which it is valid.
    const [, seq = String(this.seq), place = '0'] = epoch.split('@');
    const paths = this.#paths().slice(Number(place), Number(place) + limit);
    const next = Number(place) + limit;
    const isMore = next < this.#paths().length && limit > 0;
    const cursor = isMore ? `${this.epoch}@${seq}@${next}.0` : `${this.epoch}.${seq}`;
    return { entries: paths.map((path) => this.#entry('page', path, 0)), cursor, isMore };
  }

  #since(since: number, limit: number): { entries: object[]; cursor: string; isMore: boolean } {
    const later = this.changes.filter(({ seq }) => seq > since);
    const some = later.slice(0, limit);
    const last = new Map<string, Told & { first: Kind }>();
    for (const told of some) {
      const first = last.get(told.path)?.first ?? told.kind;
      last.delete(told.path);
      last.set(told.path, { ...told, kind: first === 'new' && told.kind === 'updated' ? 'new' : told.kind, first });
    }
    const entries = [...last.values()].map(({ kind, path, seq, to }) => this.#entry(kind, path, seq, undefined, to));
    const isMore = some.length < later.length && limit > 0;
    const reached = isMore ? some.at(-1)!.seq : limit > 0 ? this.seq : since;
    return { entries, cursor: `${this.epoch}.${reached}`, isMore };
  }

  #entry(change: string, path: string, seq: number, salt = '', to?: string): object {
    const page = this.#site.pages.get(path);
    const body = page !== undefined && 'body' in page ? page.body : '';
    const hash = createHash('sha256').update(body).update(salt).digest('base64url');
    const base = { url: path, change, seq, at: new Date().toISOString(), rank: 0.3 };
    return change === 'deleted' ? { ...base, to } : { ...base, frequency: 0, level: 0.3, hash, size: body.length };
  }
}

export interface WatchedOptions {
  readonly pages: number;
  readonly validators?: Validators;
  readonly address?: string;
  readonly place?: string;
  readonly isCovered?: (path: string) => boolean;
}

/** A front page that links to `/page/0` …, and a report at the well-known path. */
export async function startWatchedSite(
  t: { after(callback: () => Promise<void>): void },
  {
    pages,
    validators = 'etag',
    address,
    place = '/.well-known/orbweaver-report',
    isCovered = () => true,
  }: WatchedOptions,
): Promise<WatchedSite> {
  const site = await startLivingSite(t, validators, address === undefined ? {} : { address });
  const watcher = new Watcher(site, (path) => path !== '/robots.txt' && isCovered(path));
  site.web.on(place, watcher.answer);
  const links = Array.from({ length: pages }, (_, i) => `<a href="/page/${i}">${i}</a>`).join(' ');
  site.set('/', `<title>front</title>${links}`);
  for (let i = 0; i < pages; i++) site.set(`/page/${i}`, `<title>${i}</title><p>This is page ${i} as it was.</p>`);
  return {
    site,
    watcher,
    edit(path, body, isSeen = true) {
      const kind = site.pages.has(path) ? 'updated' : 'new';
      site.set(path, body);
      if (isSeen) watcher.tell(kind, path);
    },
    remove(path, isSeen = true) {
      site.pages.delete(path);
      if (isSeen) watcher.tell('deleted', path);
    },
    asked() {
      const paths = [...site.askedPaths()].filter((path) => path !== '/robots.txt');
      return paths.sort();
    },
  };
}
