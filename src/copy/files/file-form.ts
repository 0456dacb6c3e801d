/**
 * The form of an export with files for each response: a mirror, Markdown, or tables. The export itself is the same for
 * all forms (write-files.ts).
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
  /** For a form whose responses have any number of files. All others have one file for each response. */
  readonly parts?: PartsForm;
  render(response: ResponseToRender, links: FileLinks): Promise<Rendered> | Rendered;
  /** Stands in the place of a response that the archive cannot return. */
  unreadable(url: string): Rendered;
}

/** The file of a response; or all of them, in a form with parts. */
export type Rendered = Buffer | readonly FilePart[];

export interface PartsForm {
  /** The path that was planned for the response of a part. */
  ownerOf(path: string): string;
  /** The file that lists all parts after this first line. */
  readonly index: string;
  readonly indexHead: string;
}

export interface FilePart {
  readonly path: string;
  readonly bytes: Buffer;
  /** Its line in the index. It may contain line breaks, as CSV does. */
  readonly line: string;
}

export interface ResponseToRender {
  readonly body: Buffer;
  readonly url: string;
  /** The path that was planned for it in the folder. */
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
  /**
   * Whether the pages are shown and do nothing: no scripts, event handlers, forms or redirects, and no reference to
   * anything but a file (mirror/rewrite/static-rules.ts).
   */
  readonly isStatic?: boolean;
}

/** The references of an export by what became of them. */
export class ReferenceCounts {
  /** Made relative: they lead to a file of the export. */
  rewritten = 0;
  /** Links that lead to the web. */
  absolute = 0;
  /** Images, styles, scripts and the like that the export does not have. Tables that are missing or incomplete. */
  leftOut = 0;
}
