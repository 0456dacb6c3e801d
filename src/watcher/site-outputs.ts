/**
 * The outputs of one site besides HTTP: plain files in the web root, with the lease by the access log,
 * and notices to search engines. In: settings. Out: each open output works on its own until it is
 * stopped, or all outputs work at once on request.
 */
import { join } from 'node:path';
import { OrbweaverError } from '../core/errors.ts';
import type { LeaseAdmission } from './admit/lease-admission.ts';
import { IndexNow } from './announce/index-now.ts';
import type { LeaseKeeper } from './report/lease-keeper.ts';
import type { ObservableMemory, ReportSource } from './report/report-source.ts';
import { AccessLog } from './serve/access-log.ts';
import { REPORT_PATH, SITEMAP_PATH } from './serve/handler.ts';
import { leaseByLog } from './serve/log-lease.ts';
import { PlainFiles } from './serve/plain-files.ts';
import { WebRoot } from './serve/web-root.ts';
import type { SharedParts } from './site-watch.ts';
import type { SiteSettings } from './watch-settings.ts';

export interface OutletParts {
  readonly source: ReportSource;
  /** The memory for announcements, which name changed URLs but not the changes. */
  readonly announced: ObservableMemory;
  readonly lease: LeaseKeeper;
  readonly admission: LeaseAdmission;
  /** Texts that are written as they are, by path. */
  readonly texts: Readonly<Record<string, string>>;
}

export class SiteOutlets {
  #log: AccessLog | null = null;
  #files: PlainFiles | null = null;
  #announcer: IndexNow | null = null;

  private constructor() {}

  static async open(
    settings: SiteSettings,
    folder: string,
    shared: SharedParts,
    parts: OutletParts,
  ): Promise<SiteOutlets> {
    const outlets = new SiteOutlets();
    outlets.#log = openLog(settings, folder, shared, parts);
    outlets.#files = await openFiles(settings, shared, parts);
    outlets.#announcer = openAnnouncer(settings, folder, shared, parts);
    // Nothing starts before all outputs are known to be valid.
    await outlets.#log?.start();
    outlets.#files?.start();
    outlets.#announcer?.start();
    return outlets;
  }

  /** Reads the lease from the log, writes the files and sends the announcements. */
  async publish(): Promise<void> {
    await this.#log?.poll();
    await this.write();
    while ((await this.#announcer?.step()) === 'sent');
  }

  async write(): Promise<void> {
    await this.#files?.write();
  }

  async stop(): Promise<void> {
    await this.#announcer?.stop();
    await this.#files?.stop();
    await this.#log?.stop();
  }
}

function openLog(
  { site, accessLog }: SiteSettings,
  folder: string,
  { clock, warn, isOnce }: SharedParts,
  { lease, admission, source }: OutletParts,
): AccessLog | null {
  if (accessLog === null) return null;
  const placeFile = isOnce ? join(folder, 'access-log.json') : null;
  const onFault = (error: unknown) => warn(`${site}: ${(error as Error).message}`);
  const take = leaseByLog(lease, REPORT_PATH, source.memory, admission);
  return new AccessLog(accessLog, take, { clock, onFault, placeFile });
}

async function openFiles(
  { site, writeFiles, accessLog, sitemap, indexnowKey, roots }: SiteSettings,
  { clock, pace, warn, isOnce }: SharedParts,
  { source, lease, texts }: OutletParts,
): Promise<PlainFiles | null> {
  if (!writeFiles) return null;
  const root = roots.find(({ prefix }) => prefix === '/');
  if (root === undefined) {
    // With --once, the user may not have asked for files, and announcements are useful without them.
    const what = isOnce ? '--once writes the report into the web root, which' : '--write-files';
    const why = `${what} needs a folder for ${site}/; name the folder with --site ${site}/=<folder>`;
    if (!isOnce || indexnowKey === null) throw new OrbweaverError('ERR_BAD_OPTION', why);
    warn(`${site}: there is no folder for ${site}/, so no report is written; changes are still announced`);
    return null;
  }
  return new PlainFiles(source, await WebRoot.open(root.folder), {
    sitemapPath: sitemap ? SITEMAP_PATH : null,
    lease: accessLog === null ? null : lease,
    texts,
    clock,
    pause: () => pace.pause(),
    onFault: (error: unknown) => warn(`${site}: ${(error as Error).message}`),
  });
}

function openAnnouncer(
  { site, indexnowKey, indexnowEndpoint }: SiteSettings,
  folder: string,
  { clock, warn }: SharedParts,
  { announced }: OutletParts,
): IndexNow | null {
  if (indexnowKey === null) return null;
  const stateFile = join(folder, 'indexnow.json');
  const onNotice = (line: string) => warn(`${site}: ${line}`);
  const rules = { endpoint: indexnowEndpoint, key: indexnowKey, stateFile, clock, onNotice };
  return new IndexNow({ site, memory: announced }, rules);
}
