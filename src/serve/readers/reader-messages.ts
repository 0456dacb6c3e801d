/** The messages between the server and its reader threads. */
import type { RouteName } from '../contract/routes.ts';
import type { ApiFault } from '../http/api-error.ts';
import type { ServedCopy } from '../served-copy.ts';

/** What a reader does: answer a route of the API, or give a stored response as it was. */
export type ReaderWork =
  | {
      readonly kind: 'route';
      readonly route: RouteName;
      readonly params: Readonly<Record<string, string>>;
      readonly query: unknown;
    }
  | { readonly kind: 'archived'; readonly url: string; readonly atMs: number };

export interface ReaderTask {
  readonly id: number;
  readonly copy: ServedCopy;
  readonly work: ReaderWork;
  /** The beginning of the addresses of archived pages of this copy. */
  readonly archivedRoot: string;
}

export interface ReaderReply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ReaderResult =
  | { readonly id: number; readonly reply: ReaderReply }
  | { readonly id: number; readonly fault: ApiFault; readonly detail: string | null };
