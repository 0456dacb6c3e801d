/**
 * The copies from before the change. Each contender makes its copy once. It is copied for each run, because
 * a run changes it.
 *
 * What always holds: the contender itself made the first copy from the same server, and the copy for a run is on the
 * disk before the run begins.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../../testbed/measure/run-command.ts';
import type { RunPlace } from '../measure/run-crawler.ts';
import { type Contender, OURS } from './contenders.ts';
import { checkCopy } from './copy-check.ts';
import { serveSite, watcherState } from './serve-site.ts';
import type { Site } from './sites.ts';
import { readUpdateLog } from './update-log.ts';
import type { Variant } from './variants.ts';

const execFileAsync = promisify(execFile);

export type FirstCopy =
  /** Null for a contender that starts without a copy. */
  { readonly ready: true; readonly folder: string | null } | { readonly ready: false; readonly reason: string };

export async function makeFirstCopy(
  place: RunPlace,
  contender: Contender,
  site: Site,
  variant: Variant,
): Promise<FirstCopy> {
  if (contender.firstCopy === null) return { ready: true, folder: null };
  const folder = join(place.workFolder, 'refresh', 'copies', `${contender.name}-${variant}`);
  const logPath = join(place.workFolder, 'server', 'requests.log');
  for (const each of [folder, watcherState(folder)]) await rm(each, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const server = await serveSite(place, site, variant, folder, logPath);
  const command = contender.firstCopy({ plan: site.plan, folder }, place.workFolder);
  const { failure } = await runCommand(command, place.timeoutMs).finally(() => server.stop());
  const reason = failure ?? (await findFault(contender, folder, logPath, site));
  return reason === undefined ? { ready: true, folder } : { ready: false, reason: `its first copy ${reason}` };
}

async function findFault(
  { name }: Contender,
  folder: string,
  logPath: string,
  site: Site,
): Promise<string | undefined> {
  const { untouched } = await readUpdateLog(logPath, site);
  if (untouched > 0) return `lacks ${untouched} pages`;
  if (name !== OURS) return undefined;
  const { stale, spoilt, missing } = await checkCopy(folder, site);
  const wrong = stale + spoilt + missing;
  return wrong === 0 ? undefined : `has ${wrong} pages that are not the site's`;
}

/** Keeps the file times, which wget uses, and copies the watcher's state of that time. */
export async function takeCopy(kept: string | null, folder: string): Promise<void> {
  for (const each of [folder, watcherState(folder)]) await rm(each, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  if (kept !== null) {
    await execFileAsync('cp', ['-a', `${kept}/.`, folder]);
    if (existsSync(watcherState(kept))) await execFileAsync('cp', ['-a', watcherState(kept), watcherState(folder)]);
  }
  await execFileAsync('sync', ['-f', folder]);
}
