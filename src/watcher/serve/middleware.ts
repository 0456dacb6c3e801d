/**
 * The watcher inside a program that serves a site: `(request, response, next)`, for node:http, Express and others.
 * Requests for the watcher are answered. Other responses of the program may get a link to the report, and their content
 * may be observed. What always holds: the program's response is sent as it would be without the watcher; only responses
 * that are the same for every visitor are observed.
 */
import { createHash, type Hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { REPORT_PATH, type ReportHandler } from './handler.ts';
import type { ServedPages } from './served-pages.ts';
import { servedUrl } from './served-url.ts';
import { type ResponseHead, type ResponseWatch, watchResponse } from './watch-response.ts';

export interface MiddlewareOptions {
  /** Path or URL of the report that HTML responses link to; null for no link. */
  readonly link: string | null;
  /** Records the served pages; null if they are not observed. */
  readonly served: ServedPages | null;
  /** Content types of pages. */
  readonly types: readonly string[];
}

export const HTML_TYPES = ['text/html', 'application/xhtml+xml'] as const;
const DEFAULTS: MiddlewareOptions = { link: REPORT_PATH, served: null, types: HTML_TYPES };
const MAX_EXAMINED_BYTES = 1_000_000;

export type Middleware = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

export function watcherMiddleware(handler: ReportHandler, given: Partial<MiddlewareOptions> = {}): Middleware {
  const options = { ...DEFAULTS, ...given };
  const { link, served } = options;
  return (request, response, next) => {
    if (handler(request, response)) return;
    const url = served === null ? null : servedUrl(request, served.options.parameters);
    if (link !== null || url !== null) watchResponse(response, new PageWatch(options, url, request.headers));
    next?.();
  };
}

class PageWatch implements ResponseWatch {
  readonly #options: MiddlewareOptions;
  readonly #url: string | null;
  readonly #asked: IncomingHttpHeaders;
  #status = 0;
  #hash: Hash | null = null;
  #size = 0;
  #content: Buffer[] | null = null;

  constructor(options: MiddlewareOptions, url: string | null, asked: IncomingHttpHeaders) {
    this.#options = options;
    this.#url = url;
    this.#asked = asked;
  }

  onHead(head: ResponseHead) {
    const { link, served, types } = this.#options;
    const type = head.header('content-type').split(';', 1)[0]!.trim();
    this.#status = head.status;
    if (this.#url !== null && head.status === 200 && types.includes(type) && isForEverybody(head, this.#asked)) {
      this.#hash = createHash('sha256');
      if (served!.options.examine !== null && HTML_TYPES.some((html) => html === type)) this.#content = [];
    }
    const isPointing = link !== null && HTML_TYPES.some((html) => html === type);
    return isPointing ? { name: 'Link', value: `<${link}>; rel="orbweaver-report"` } : null;
  }

  onBody(part: Buffer): void {
    if (this.#hash === null) return;
    this.#hash.update(part);
    this.#size += part.length;
    if (this.#size > MAX_EXAMINED_BYTES) this.#content = null;
    // A copy, because the program may reuse its buffer.
    this.#content?.push(Buffer.from(part));
  }

  onEnd(): void {
    const { served } = this.#options;
    if (served === null || this.#url === null) return;
    if (this.#status === 404 || this.#status === 410) served.missed(this.#url, this.#status);
    if (this.#hash === null) return;
    const content = this.#content === null ? null : Buffer.concat(this.#content);
    served.saw({ url: this.#url, hash: this.#hash.digest('base64url'), size: this.#size, content });
  }
}

/**
 * A response that depends on a language or a browser differs at the next request. Only the variant for a request
 * without these headers is observed.
 */
function isForEverybody(head: ResponseHead, asked: IncomingHttpHeaders): boolean {
  const coding = head.header('content-encoding');
  return (
    head.header('set-cookie') === '' &&
    !/\b(?:private|no-store)\b/.test(head.header('cache-control')) &&
    variants(head.header('vary')).every((name) => name !== '*' && asked[name] === undefined) &&
    (coding === '' || coding === 'identity')
  );
}

/**
 * `accept-encoding` does not matter because the coding is removed, and `accept` because
 * the type itself shows the variant.
 */
function variants(vary: string): readonly string[] {
  const names = vary.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '' && name !== 'accept-encoding' && name !== 'accept');
}
