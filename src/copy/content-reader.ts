/**
 * Reads the content of responses for every command and for the library, with the template that the crawl has learned
 * about their hosts. In: a response of the copy, of any time. Out: its content (read-content.ts).
 */
import { Template } from '../content/template/template.ts';
import { putNewest } from '../core/bounded-map.ts';
import type { Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { type ReadableContent, type ResponseToRead, readContent, type WithoutContent } from './read-content.ts';

const MAX_TEMPLATES = 100;

export type TemplateSource = Pick<Store, 'template'>;

export class ContentReader {
  readonly #source: TemplateSource;
  /** The templates of the hosts that were read last. */
  readonly #templates = new Map<string, Template | null>();

  constructor(source: TemplateSource) {
    this.#source = source;
  }

  async read(response: Omit<ResponseToRead, 'template'>): Promise<ReadableContent | WithoutContent> {
    return readContent({ ...response, template: await this.#templateOf(response.url) });
  }

  /** The templates are read again when they are needed: a running crawl learns on. */
  forgetTemplates(): void {
    this.#templates.clear();
  }

  async #templateOf(url: string): Promise<Template | null> {
    const host = hostOf(url);
    const known = this.#templates.get(host);
    if (known !== undefined) return known;
    const counts = await this.#source.template(host);
    const template = counts === null ? null : Template.decode(counts);
    putNewest(this.#templates, host, template, MAX_TEMPLATES);
    return template;
  }
}
