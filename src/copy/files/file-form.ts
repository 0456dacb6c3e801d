/**
 * The form of an export with a file for each response: a mirror, or Markdown. The export itself is the same for all
 * forms (write-files.ts).
 */
import type { CaptureRecord } from '../../store/contract.ts';
import type { UrlNormalizer } from '../../url/normalize.ts';
import type { FilePlan } from './file-plan.ts';

export interface FileForm {
  /** Names the export in messages, and marks its folder. */
  readonly name: string;
  /** The media type by which the file of a response is named; null for a response that gets no file. */
  fileType(mediaType: string): string | null;
  /** Whether a file with this type is a page. A page that the archive cannot return gets a file that says so. */
  isPage(fileType: string): boolean;
  /** The first file of the export; null for none. */
  index(plan: FilePlan, atMs: number | null): Buffer | null;
  render(response: ResponseToRender, links: FileLinks): Promise<Buffer> | Buffer;
  unreadable(url: string): Buffer;
}

export interface ResponseToRender {
  readonly body: Buffer;
  readonly url: string;
  /** The path of its file in the folder. */
  readonly path: string;
  /** The type of the file. */
  readonly type: string;
  /** The header Content-Type. */
  readonly contentType: string;
  readonly capture: CaptureRecord;
}

/** What the references of the copy lead to. */
export interface FileLinks {
  readonly normalizer: UrlNormalizer;
  /** The file of a URL in normal form; null if the folder does not have it. */
  readonly pathOf: (url: string) => string | null;
  readonly counts: ReferenceCounts;
}

/** The references of an export by what became of them. */
export class ReferenceCounts {
  /** Made relative: they lead to a file of the export. */
  rewritten = 0;
  /** Links that lead to the web. */
  absolute = 0;
  /** Images, styles, scripts and the like that the export does not have. They are taken out. */
  leftOut = 0;
}
