/** Messages for the operator of the watcher. Each problem is reported once until it is fixed. */
export const NOTICES = [
  'root-missing',
  'folder-unreadable',
  'file-unreadable',
  'page-too-costly',
  'name-not-utf8',
  'watch-limit',
  'memory-damaged',
  'memory-unwritable',
  'sweep-failed',
] as const;
export type NoticeCode = (typeof NOTICES)[number];

export interface Notice {
  readonly code: NoticeCode;
  readonly message: string;
}

export type Tell = (notice: Notice) => void;

/** Number of reported problems that are remembered. After that, problems may be reported again. */
const MAX_TOLD = 1_000;

export class NoticeBook {
  readonly #tell: Tell;
  readonly #told = new Set<string>();

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  tell(code: NoticeCode, about: string, message: string): void {
    const matter = `${code} ${about}`;
    if (this.#told.has(matter)) return;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.add(matter);
    this.#tell({ code, message });
  }

  mended(code: NoticeCode, about: string): void {
    if (this.#told.size > 0) this.#told.delete(`${code} ${about}`);
  }
}
