/** The parts of a site of the demo web: responses by path. */
import type { Html } from './html.ts';
import { layout, type PageFace, type SiteFace } from './layout.ts';

export interface Visit {
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** How long the server waits before it responds. */
  readonly delayMs?: number;
}

/** Null means that there is no such page. */
export type Responder = (visit: Visit) => Answer | null;

export interface Site {
  readonly face: SiteFace;
  readonly pages: ReadonlyMap<string, Responder>;
  /** Responses for endless URL spaces: the key is a prefix of the path. */
  readonly spaces: ReadonlyMap<string, Responder>;
}

/** The origins of the three sites. Each site links to the others. */
export interface Origins {
  readonly guide: string;
  readonly shop: string;
  readonly gazette: string;
}

/** Collects the pages of one site. The paths in `listed` are in the sitemap. */
export class SiteBuilder implements Site {
  readonly face: SiteFace;
  readonly pages = new Map<string, Responder>();
  readonly spaces = new Map<string, Responder>();
  readonly listed: string[] = [];

  constructor(face: SiteFace) {
    this.face = face;
  }

  /** A page with the same text at every visit. It is rendered at the first request. */
  page(path: string, face: () => Omit<PageFace, 'path'>): void {
    let made: Answer | null = null;
    this.answer(path, () => {
      made ??= this.render({ path, ...face() });
      return made;
    });
    this.listed.push(path);
  }

  answer(path: string, responder: Responder): void {
    if (this.pages.has(path)) throw new Error(`two pages at ${path}`);
    this.pages.set(path, responder);
  }

  render(page: PageFace, status = 200): Answer {
    return htmlAnswer(layout(this.face, page), status);
  }
}

export function htmlAnswer(page: Html, status = 200): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page.text };
}

export function textAnswer(body: string, type: string): Answer {
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8` }, body };
}
