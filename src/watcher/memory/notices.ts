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

export type Notify = (notice: Notice) => void;

/** Number of reported problems that are remembered. After that, problems may be reported again. */
const MAX_SENT = 1_000;

export class NoticeBook {
  readonly #notify: Notify;
  readonly #sent = new Set<string>();

  constructor(notify: Notify) {
    this.#notify = notify;
  }

  notify(code: NoticeCode, about: string, message: string): void {
    const matter = `${code} ${about}`;
    if (this.#sent.has(matter)) return;
    if (this.#sent.size >= MAX_SENT) this.#sent.clear();
    this.#sent.add(matter);
    this.#notify({ code, message });
  }

  mended(code: NoticeCode, about: string): void {
    if (this.#sent.size > 0) this.#sent.delete(`${code} ${about}`);
  }
}
