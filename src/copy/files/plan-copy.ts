/**
 * Plans an export of files from the store. In: the store and a time. Out: a plan with a file for every response that
 * the copy had at that time and that the form wants, and the redirects between them.
 *
 * Without a time, the state of a URL decides. At a time in the past, its response of that time does (response-at.ts).
 */
import type { BodySizes } from '../../crawl/place/body-limits.ts';
import type { Where } from '../../crawl/place/crawl-place.ts';
import { isContent, isUnreadable, readRecord } from '../../crawl/place/read-archived.ts';
import { headerValue } from '../../fetch/outcome.ts';
import { decideReadAs } from '../../page/content-kind.ts';
import type { CaptureRecord, Store, UrlRecord, UrlState } from '../../store/contract.ts';
import { inBatches } from '../../store/read-in-batches.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import { responseAt, stateThen } from '../response-at.ts';
import type { FileForm } from './file-form.ts';
import { FilePlan } from './file-plan.ts';

const ROWS_PER_READ = 500;
/** States of URLs whose content belongs to the copy now. */
const IN_COPY: readonly UrlState[] = ['fetched', 'duplicate'];
const UNKNOWN_TYPES: readonly string[] = ['', 'unknown/unknown', 'application/unknown', '*/*'];

/** A copy to export. */
export interface CopyToExport {
  readonly store: Store;
  readonly where: Where;
  readonly form: FileForm;
  /** Null for the copy as it is now. */
  readonly atMs: number | null;
  /** Only URLs that are in these states, or were at that time; null for all. */
  readonly states: ReadonlySet<UrlState> | null;
  readonly sizes: BodySizes;
  readonly normalizer: UrlNormalizer;
}

/** `planned` is called after each batch with the number of URLs that were read. */
export async function planCopy(copy: CopyToExport, planned: (urls: number) => void): Promise<FilePlan> {
  const plan = new FilePlan();
  try {
    let urls = 0;
    for await (const records of inBatches((after, limit) => copy.store.urls(after, limit), ROWS_PER_READ)) {
      for (const record of records) await addUrl(plan, copy, record);
      urls += records.length;
      planned(urls);
    }
    plan.assignPaths();
    return plan;
  } catch (error) {
    plan.close();
    throw error;
  }
}

async function addUrl(plan: FilePlan, copy: CopyToExport, record: UrlRecord): Promise<void> {
  const { url, standIn, depth, title } = record;
  const capture = copy.atMs === null ? currentCapture(copy, record) : await responseAt(copy.store, url, copy.atMs);
  if (capture !== null && isContent(capture)) {
    if (copy.states?.has(copy.atMs === null ? record.state : stateThen(capture)) === false) return;
    const type = copy.form.fileType(await mediaTypeOf(copy, url, capture));
    if (type === null) return;
    plan.addFile(url, type, capture);
    if (depth === 0) plan.addSeed(url, title);
    return;
  }
  const target = (await redirectTarget(copy, record, capture)) ?? standIn;
  if (target === null || target === url) return;
  plan.addLead(url, target);
  if (depth === 0) plan.addSeed(url, '');
}

function currentCapture({ states }: CopyToExport, { state, capture }: UrlRecord): CaptureRecord | null {
  return IN_COPY.includes(state) || states?.has(state) === true || state === 'redirect' ? capture : null;
}

async function redirectTarget(
  copy: CopyToExport,
  { url, redirectTo }: UrlRecord,
  capture: CaptureRecord | null,
): Promise<string | null> {
  if (copy.atMs === null) return redirectTo;
  if (capture === null || capture.status < 300 || capture.status > 399) return null;
  const read = await readOrNull(copy, url, capture);
  const location = read === null ? '' : headerValue(read.capture.rawHeaders, 'location');
  return location === '' ? null : copy.normalizer.resolver(url)(location);
}

async function mediaTypeOf(copy: CopyToExport, url: string, capture: CaptureRecord): Promise<string> {
  const type = capture.contentType.toLowerCase();
  if (!UNKNOWN_TYPES.includes(type)) return type;
  return typeOfBody(type, (await readOrNull(copy, url, capture))?.body ?? Buffer.alloc(0), url);
}

/** The media type of a response. If the server sent none, the first bytes decide, as in a browser. */
export function typeOfBody(sentType: string, body: Buffer, url: string): string {
  if (!UNKNOWN_TYPES.includes(sentType)) return sentType;
  const kind = decideReadAs(body, '', url);
  return kind === 'html' ? 'text/html' : kind === 'xml' ? 'application/xml' : 'application/octet-stream';
}

/** Null if the archive cannot return the response. */
export async function readOrNull({ where, sizes, store }: CopyToExport, url: string, capture: CaptureRecord) {
  try {
    return await readRecord(where, url, capture, sizes, store);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}
