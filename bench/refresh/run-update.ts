/**
 * One measured update. In: a contender, its copy of the old site, and the new site. Out: figures.
 *
 * What always holds: server, log and copy are new, the command is the one that a user would type, and the server
 * counts requests and bytes. A run of Orbweaver is successful only if its copy equals the site afterwards, page by
 * page, and its report names exactly the real changes. A run of another contender is successful if every changed page
 * was sent to it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../testbed/measure/run-command.ts';
import { lastJsonLine, type RunPlace } from '../measure/run-crawler.ts';
import { type Contender, type ContenderName, OURS, YARDSTICK } from './contenders.ts';
import { type CopyCheck, checkCopy, checkJournal, checkReport, type JournalCheck } from './copy-check.ts';
import { takeCopy } from './kept-copies.ts';
import { serveSite, watcherState } from './serve-site.ts';
import { SITEMAP_DOCUMENTS } from './sitemap.ts';
import type { Site } from './sites.ts';
import { readUpdateLog, type UpdateCount } from './update-log.ts';
import { VARIANT_RULES, type Variant } from './variants.ts';

/** The cell of the table that a run belongs to. */
export interface UpdateCase {
  readonly variant: Variant;
  /** Percentage of changed pages. */
  readonly share: number;
  readonly round: number;
}

/** Undefined when there is no copy, or no journal, of Orbweaver to check. */
interface Checks {
  readonly copy: CopyCheck | undefined;
  readonly journal: JournalCheck | undefined;
}

export interface UpdateRun extends UpdateCase, UpdateCount, Checks {
  readonly contender: ContenderName;
  readonly pages: number;
  readonly changed: number;
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
  /** Undefined for a successful run. */
  readonly failure: string | undefined;
  /** The statistics that the contender prints, if they are JSON. */
  readonly ownCount: unknown;
}

const NO_CHECKS: Checks = { copy: undefined, journal: undefined };

export async function runUpdate(
  place: RunPlace,
  contender: Contender,
  keptCopy: string | null,
  site: Site,
  which: UpdateCase,
): Promise<UpdateRun> {
  const folder = join(place.workFolder, 'run', `refresh-${contender.name}`);
  const logPath = join(place.workFolder, 'server', 'requests.log');
  await takeCopy(keptCopy, folder);
  try {
    const { sitemaps } = VARIANT_RULES[which.variant];
    const server = await serveSite(place, site, which.variant, folder, logPath);
    const command = contender.update({ plan: site.plan, folder }, place.workFolder, which.variant);
    const measured = await runCommand(command, place.timeoutMs).finally(() => server.stop());
    const count = await readUpdateLog(logPath, site);
    const ownCount = lastJsonLine(measured.stdout);
    const checks = measured.failure === undefined ? await checksOf(contender, folder, site) : NO_CHECKS;
    const failures = [measured.failure, ...complaints(count, checks, sitemaps ? SITEMAP_DOCUMENTS : 0)];
    if (checks.journal !== undefined) {
      failures.push(...checkReport(ownCount, site.changed.size, checks.journal.otherDocuments));
    }
    const failure = failures.filter((each) => each !== undefined).join('; ');
    return {
      contender: contender.name,
      ...which,
      pages: site.plan.shape.pages,
      changed: site.changed.size,
      wallSeconds: measured.wallSeconds,
      cpuSeconds: measured.cpuSeconds,
      peakRssMb: measured.peakRssMb,
      ...count,
      ...checks,
      failure: failure === '' ? undefined : failure,
      ownCount,
    };
  } finally {
    // Removed at once, so that the system does not write the folders back to the disk during the next run.
    for (const each of [folder, watcherState(folder)]) await rm(each, { recursive: true, force: true });
  }
}

async function checksOf({ name }: Contender, folder: string, site: Site): Promise<Checks> {
  return {
    copy: name === OURS || name === YARDSTICK ? await checkCopy(folder, site) : undefined,
    journal: name === OURS ? await checkJournal(folder, site) : undefined,
  };
}

function complaints(count: UpdateCount, { copy, journal }: Checks, mostOthers: number): string[] {
  const sentences: ReadonlyArray<readonly [number, string]> = [
    [count.missed, 'changed pages were not fetched'],
    [count.failures, 'requests were answered neither with 200 nor with 304'],
    [copy?.stale ?? 0, 'changed pages are in the copy as they were'],
    [copy?.spoilt ?? 0, 'unchanged pages are in the copy otherwise'],
    [copy?.missing ?? 0, 'pages are not in the copy'],
    [journal?.untold ?? 0, 'changes are not told'],
    [journal?.invented ?? 0, 'told changes are none'],
    [Math.max(0, (journal?.otherDocuments ?? 0) - mostOthers), 'told changes are of what does not exist'],
  ];
  return sentences.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
}
