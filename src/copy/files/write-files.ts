/**
 * Writes an export with files for each response. In: a crawl, a time, a folder and the form of the files. Out: the
 * files, whose references lead to each other.
 *
 * What always holds: one response at a time is in memory. The same copy gives the same files.
 */
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import type { Share } from '../../core/file-modes.ts';
import { normalizerFor } from '../../crawl/links/link-forms.ts';
import type { Where } from '../../crawl/place/crawl-place.ts';
import { keptOptions } from '../../crawl/place/data-folder.ts';
import { headerValue } from '../../fetch/outcome.ts';
import type { Store, UrlState } from '../../store/contract.ts';
import { checkExportFolder, ExportFolder } from './export-folder.ts';
import { type FileForm, type FilePart, ReferenceCounts, type Rendered } from './file-form.ts';
import { INDEX_FILE } from './file-names.ts';
import type { FilePlan } from './file-plan.ts';
import { type CopyToExport, planCopy, readOrNull } from './plan-copy.ts';

export interface FilesRequest {
  readonly store: Store;
  readonly where: Where;
  readonly form: FileForm;
  readonly folder: string;
  /** The time of the copy; null for now. */
  readonly atMs: number | null;
  /** Only URLs that are in these states, or were at that time; null for all that have content. */
  readonly states: ReadonlySet<UrlState> | null;
  /** Who else may read the files. */
  readonly share: Share | null;
}

export interface FilesSummary {
  /** Files of pages and assets. */
  readonly files: number;
  /** Pages that have files. */
  readonly pages: number;
  readonly bytes: number;
  /** Files that were not written, because they had these bytes already. */
  readonly unchanged: number;
  /** Files of an earlier export that the copy does not have any more. */
  readonly removed: number;
  /** Files whose response the archive could not return. */
  readonly unreadable: number;
  /** References to files of the export. */
  readonly rewritten: number;
  /** Links to the web. */
  readonly absolute: number;
  /** References to images, styles, scripts and the like that the copy does not have; tables that limits cut off. */
  readonly leftOut: number;
}

const FILES_PER_READ = 100;
const PROGRESS_EVERY_MS = 250;
/** Short work shows no progress. */
const QUIET_MS = 1_000;

export async function exportFiles(request: FilesRequest): Promise<FilesSummary> {
  const { store, where, form, atMs, states } = request;
  const options = await keptOptions(store);
  const copy: CopyToExport = { store, where, form, atMs, states, sizes: options, normalizer: normalizerFor(options) };
  checkExportFolder(request.folder, form.name);
  const report = progressReporter();
  const plan = await planCopy(copy, (urls) => report({ step: 'plan', done: urls, of: null, bytes: 0 }));
  try {
    // An empty plan would remove all files of an earlier export.
    if (plan.files === 0) throw nothingToWrite(form.name, atMs);
    const folder = await ExportFolder.open(request.folder, form.name, request.share);
    const ownerOf = (path: string) => form.parts?.ownerOf(path) ?? path;
    let removed = await folder.removeOld((path) => plan.hasPath(ownerOf(path)));
    if (form.parts === undefined) await folder.writeList(pathsOf(plan));
    const index = form.index(plan, atMs);
    if (index !== null) await folder.write(INDEX_FILE, index);
    const written = await writeFiles(copy, plan, folder, report);
    if (form.parts !== undefined) {
      removed += await folder.removeOld((path) => plan.hasPart(path));
      await folder.writeLines(form.parts.index, linesOf(form.parts.indexHead, plan), '\r\n');
      await folder.writeList(plan.parts().map(({ path }) => path));
    }
    return { ...written, removed };
  } finally {
    plan.close();
  }
}

function nothingToWrite(form: string, atMs: number | null): OrbweaverError {
  const when = atMs === null ? '' : ` from ${new Date(atMs).toISOString()} or earlier`;
  return new OrbweaverError(
    'ERR_NOT_IN_COPY',
    `the copy has no pages for the format ${form}${when}; nothing was written`,
  );
}

async function writeFiles(
  copy: CopyToExport,
  plan: FilePlan,
  folder: ExportFolder,
  report: ReturnType<typeof progressReporter>,
): Promise<Omit<FilesSummary, 'removed'>> {
  const counts = new ReferenceCounts();
  const { form, normalizer } = copy;
  const links = { normalizer, pathOf: (url: string) => plan.pathOf(url), counts };
  const of = plan.files;
  let [files, pages, bytes, unchanged, unreadable, done] = [0, 0, 0, 0, 0, 0];
  for (const file of filesOf(plan)) {
    const { url, path, type, capture } = file;
    const read = await readOrNull(copy, url, capture);
    const isPage = form.isPage(type);
    if (read === null) unreadable++;
    if (read === null && !isPage) continue;
    const contentType = read === null ? '' : headerValue(read.capture.rawHeaders, 'content-type');
    const rendered =
      read === null
        ? form.unreadable(url)
        : await form.render({ body: read.body, url, path, type, contentType, capture }, links);
    const parts = await listParts(rendered, path, plan, folder);
    for (const part of parts) {
      if (!(await folder.write(part.path, part.bytes))) unchanged++;
      files++;
      bytes += part.bytes.length;
    }
    if (isPage && parts.length > 0) pages++;
    report({ step: 'write', done: ++done, of, bytes });
  }
  const { rewritten, absolute, leftOut } = counts;
  return { files, pages, bytes, unchanged, unreadable, rewritten, absolute, leftOut };
}

/** Parts are listed before they are written, so that an interrupted export leaves no file that the next one keeps. */
async function listParts(
  rendered: Rendered,
  path: string,
  plan: FilePlan,
  folder: ExportFolder,
): Promise<readonly Omit<FilePart, 'line'>[]> {
  if (Buffer.isBuffer(rendered)) return [{ path, bytes: rendered }];
  for (const part of rendered) plan.addPart(part.path, part.line);
  if (rendered.length > 0) await folder.addToList(rendered.map((part) => part.path));
  return rendered;
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

function* linesOf(head: string, plan: FilePlan): Generator<string> {
  yield head;
  for (const { line } of plan.parts()) yield line;
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
    publish('files/progress', { ...step, elapsedMs: nowMs - startMs });
  };
}
