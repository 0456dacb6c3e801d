/**
 * Writes a mirror: a copy that a browser opens from a disk, without a server and without the network. In: a crawl, a
 * time and a folder. Out: a file for every page and asset, whose references lead to each other.
 *
 * What always holds: a page of the mirror requests nothing from the network when it is opened. One response at a time
 * is in memory. The same copy gives the same files. docs/mirror.md describes the user's side.
 */

import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import type { Share } from '../../core/file-modes.ts';
import { normalizerFor } from '../../crawl/links/link-forms.ts';
import type { Where } from '../../crawl/place/crawl-place.ts';
import { keptOptions } from '../../crawl/place/data-folder.ts';
import { headerValue } from '../../fetch/outcome.ts';
import type { Store, UrlState } from '../../store/contract.ts';
import { INDEX_FILE } from './file-names.ts';
import type { FilePlan } from './file-plan.ts';
import { indexPage, unreadablePage } from './index-page.ts';
import { checkMirrorFolder, MirrorFolder } from './mirror-folder.ts';
import { type CopyToMirror, planCopy, readOrNull } from './plan-copy.ts';
import { ReferenceCounts } from './rewrite/find-target.ts';
import { rewriteBody } from './rewrite/rewrite-body.ts';

export interface MirrorRequest {
  readonly store: Store;
  readonly where: Where;
  readonly folder: string;
  /** The time of the copy; null for now. */
  readonly atMs: number | null;
  /** Only URLs in these states; null for all that have content. */
  readonly states: ReadonlySet<UrlState> | null;
  /** Who else may read the files. */
  readonly share: Share | null;
}

export interface MirrorSummary {
  /** Files of pages and assets. */
  readonly files: number;
  readonly pages: number;
  readonly bytes: number;
  /** Files that were not written, because they had these bytes already. */
  readonly unchanged: number;
  /** Files of an earlier export that the copy does not have any more. */
  readonly removed: number;
  /** Files whose response the archive could not return. */
  readonly unreadable: number;
  /** References to files of the mirror. */
  readonly rewritten: number;
  /** Links to the web. */
  readonly absolute: number;
  /** References to images, styles, scripts and the like that the copy does not have. */
  readonly leftOut: number;
}

const FILES_PER_READ = 100;
const PROGRESS_EVERY_MS = 250;
/** Short work shows no progress. */
const QUIET_MS = 1_000;

export async function writeMirror(request: MirrorRequest): Promise<MirrorSummary> {
  const { store, where, atMs, states } = request;
  const options = await keptOptions(store);
  const copy: CopyToMirror = { store, where, atMs, states, sizes: options, normalizer: normalizerFor(options) };
  checkMirrorFolder(request.folder);
  const report = progressReporter();
  const plan = await planCopy(copy, (urls) => report({ step: 'plan', done: urls, of: null, bytes: 0 }));
  try {
    // An empty plan would remove all files of an earlier mirror.
    if (plan.files === 0) throw nothingToMirror(atMs);
    const folder = await MirrorFolder.open(request.folder, request.share);
    const removed = await folder.removeOld((path) => plan.hasPath(path));
    await folder.writeList(pathsOf(plan));
    await folder.write(INDEX_FILE, indexPage(plan, atMs));
    return { ...(await writeFiles(copy, plan, folder, report)), removed };
  } finally {
    plan.close();
  }
}

function nothingToMirror(atMs: number | null): OrbweaverError {
  const when = atMs === null ? '' : ` from ${new Date(atMs).toISOString()} or earlier`;
  return new OrbweaverError('ERR_NOT_IN_COPY', `the copy has no pages for a mirror${when}; nothing was written`);
}

async function writeFiles(
  copy: CopyToMirror,
  plan: FilePlan,
  folder: MirrorFolder,
  report: ReturnType<typeof progressReporter>,
): Promise<Omit<MirrorSummary, 'removed'>> {
  const counts = new ReferenceCounts();
  const sources = { normalizer: copy.normalizer, pathOf: (url: string) => plan.pathOf(url) };
  const of = plan.files;
  let [files, pages, bytes, unchanged, unreadable] = [0, 0, 0, 0, 0];
  for (const file of filesOf(plan)) {
    const { url, path, type, capture } = file;
    const read = await readOrNull(copy, url, capture);
    const isPage = type.includes('html');
    if (read === null) unreadable++;
    if (read === null && !isPage) continue;
    const contentType = read === null ? '' : headerValue(read.capture.rawHeaders, 'content-type');
    const body =
      read === null
        ? unreadablePage(url)
        : rewriteBody({ body: read.body, url, path, type, contentType }, sources, counts);
    if (!(await folder.write(path, body))) unchanged++;
    files++;
    if (isPage) pages++;
    bytes += body.length;
    report({ step: 'write', done: files, of, bytes });
  }
  const { rewritten, absolute, leftOut } = counts;
  return { files, pages, bytes, unchanged, unreadable, rewritten, absolute, leftOut };
}

function* filesOf(plan: FilePlan) {
  for (let after = 0; ; ) {
    const files = plan.filesAfter(after, FILES_PER_READ);
    yield* files;
    if (files.length < FILES_PER_READ) return;
    after = files.at(-1)!.id;
  }
}

function* pathsOf(plan: FilePlan): Generator<string> {
  for (const { path } of filesOf(plan)) yield path;
}

interface Step {
  readonly step: 'plan' | 'write';
  readonly done: number;
  readonly of: number | null;
  readonly bytes: number;
}

function progressReporter(): (step: Step) => void {
  const startMs = Date.now();
  let lastMs = startMs + QUIET_MS - PROGRESS_EVERY_MS;
  return (step) => {
    const nowMs = Date.now();
    if (nowMs - lastMs < PROGRESS_EVERY_MS) return;
    lastMs = nowMs;
    publish('mirror/progress', { ...step, elapsedMs: nowMs - startMs });
  };
}
