/**
 * The site as sitemaps (sitemaps.org 0.9): an index and its parts. In: pages in the order of the memory, in batches.
 * Out: XML, in pieces. What always holds: every page is in a part; a part stays within the limits of the protocol;
 * `lastmod` is the time of the real change of the content.
 *
 * A part is planned slightly smaller than allowed, so that pages which are new when it is read still fit.
 */
import { isoTime } from '../report/report-lines.ts';
import type { ReportSource } from '../report/report-source.ts';

export const SITEMAP_LIMITS = { urls: 50_000, bytes: 50_000_000 } as const;
const PLANNED = { urls: 49_000, bytes: 48_000_000 } as const;
const PIECE = 1_000;

export interface SitemapPart {
  /** The part begins after this key. */
  readonly afterKey: string | null;
  /** The part ends with this key; null for the last part. */
  readonly lastKey: string | null;
  readonly changedAtMs: number;
}

const OPEN_PART =
  '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
const CLOSE_PART = '</urlset>\n';

/** One pass over all pages. There is always a first part. `pause` is awaited between the batches. */
export async function planSitemap(
  source: ReportSource,
  pause: () => Promise<void> = async () => undefined,
): Promise<readonly SitemapPart[]> {
  const parts: SitemapPart[] = [];
  let part = { afterKey: null as string | null, urls: 0, bytes: 0, changedAtMs: 0 };
  for (let key: string | null = null; ; ) {
    const pages = await source.memory.pages(key, PIECE);
    for (const page of pages) {
      const bytes = Buffer.byteLength(urlXml(source.site, page));
      if (part.urls >= PLANNED.urls || part.bytes + bytes > PLANNED.bytes) {
        parts.push({ afterKey: part.afterKey, lastKey: key, changedAtMs: part.changedAtMs });
        part = { afterKey: key, urls: 0, bytes: 0, changedAtMs: 0 };
      }
      part.urls++;
      part.bytes += bytes;
      part.changedAtMs = Math.max(part.changedAtMs, page.changedAtMs);
      key = page.key;
    }
    if (pages.length === 0) break;
    await pause();
  }
  return [...parts, { afterKey: part.afterKey, lastKey: null, changedAtMs: part.changedAtMs }];
}

export async function* partXml(source: ReportSource, part: SitemapPart): AsyncGenerator<string> {
  yield OPEN_PART;
  let urls = 0;
  let bytes = OPEN_PART.length + CLOSE_PART.length;
  let key = part.afterKey;
  let isDone = false;
  while (!isDone) {
    const pages = await source.memory.pages(key, PIECE);
    isDone = pages.length === 0;
    let text = '';
    for (const page of pages) {
      const line = urlXml(source.site, page);
      bytes += Buffer.byteLength(line);
      isDone = ++urls > SITEMAP_LIMITS.urls || bytes > SITEMAP_LIMITS.bytes;
      if (isDone) break;
      text += line;
      key = page.key;
      isDone = key === part.lastKey;
      if (isDone) break;
    }
    if (text !== '') yield text;
  }
  yield CLOSE_PART;
}

/** `path` is the path of the index on the site. */
export function indexXml(site: string, path: string, parts: readonly SitemapPart[]): string {
  const lines = parts.map(({ changedAtMs }, at) => {
    const lastmod = changedAtMs === 0 ? '' : `<lastmod>${isoTime(changedAtMs)}</lastmod>`;
    return `<sitemap><loc>${escapeXml(site + partPath(path, at + 1))}</loc>${lastmod}</sitemap>\n`;
  });
  const open =
    '<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
  return `${open}${lines.join('')}</sitemapindex>\n`;
}

/** `/sitemap.xml` → `/sitemap-1.xml`; parts are numbered from 1. */
export function partPath(path: string, number: number): string {
  return `${path.replace(/\.xml$/, '')}-${number}.xml`;
}

/** The number of a part, from its path or its name; null for other files. */
export function partNumber(path: string, index: string): number | null {
  const stem = `${index.replace(/\.xml$/, '')}-`;
  const [, number] = path.startsWith(stem) ? (/^([1-9]\d{0,4})\.xml$/.exec(path.slice(stem.length)) ?? []) : [];
  return number === undefined ? null : Number(number);
}

function urlXml(site: string, { url, changedAtMs }: { readonly url: string; readonly changedAtMs: number }): string {
  return `<url><loc>${escapeXml(site + url)}</loc><lastmod>${isoTime(changedAtMs)}</lastmod></url>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  // Removes characters that XML 1.0 does not allow.
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '').replace(/[&<>"']/g, (found) => ENTITIES[found]!);
}

/** Keeps the plan of a site. The plan is made again when the site has changed, but not for every reader. */
export class SitemapPlanner {
  readonly #source: ReportSource;
  readonly #nowMs: () => number;
  readonly #keepMs: number;
  #plan: Promise<readonly SitemapPart[]> | null = null;
  #seq = -1;
  #plannedAtMs = 0;

  /**
   * A plan is kept for `keepMs` even if pages change. New pages appear in the part whose
   * range contains them, or in the next plan.
   */
  constructor(source: ReportSource, nowMs: () => number, keepMs = 60_000) {
    this.#source = source;
    this.#nowMs = nowMs;
    this.#keepMs = keepMs;
  }

  async plan(): Promise<readonly SitemapPart[]> {
    const { lastSeq } = this.#source.memory;
    const isOld = lastSeq !== this.#seq && this.#nowMs() - this.#plannedAtMs >= this.#keepMs;
    if (this.#plan === null || isOld) {
      this.#seq = lastSeq;
      this.#plannedAtMs = this.#nowMs();
      const plan = planSitemap(this.#source);
      this.#plan = plan;
      plan.catch(() => {
        if (this.#plan === plan) this.#plan = null;
      });
    }
    return this.#plan;
  }
}
