/**
 * All states of the site that a benchmark needs. In: options. Out: the old site and, after the change, the site
 * with each share changed.
 *
 * There are two sizes; the smaller one is for slow contenders. Each size exists with and without sitemaps. The server
 * adds the validators. What always holds: `change` is called after the first copies are made, so every change is
 * newer than the copies.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { filePath, type LocalWeb, makeWeb } from '../web/make.ts';
import type { Contender } from './contenders.ts';
import type { RefreshOptions } from './options.ts';
import { type ChangedPages, changePages, makeSite, type Site } from './sites.ts';
import { VARIANT_RULES, type Variant } from './variants.ts';

export class SiteStates {
  readonly #options: RefreshOptions;
  readonly #folder: string;
  readonly #webs: ReadonlyMap<number, LocalWeb>;
  readonly #sites = new Map<string, Site>();

  private constructor(options: RefreshOptions, folder: string, webs: ReadonlyMap<number, LocalWeb>) {
    this.#options = options;
    this.#folder = folder;
    this.#webs = webs;
  }

  static async before(
    options: RefreshOptions,
    workFolder: string,
    report: (text: string) => void,
  ): Promise<SiteStates> {
    const webs = new Map<number, LocalWeb>();
    for (const pages of new Set([options.pages, options.slowPages])) {
      webs.set(pages, await makeWeb(join(workFolder, 'webs'), { seed: options.seed, pages, hosts: 1 }, report));
    }
    const states = new SiteStates(options, join(workFolder, 'refresh', 'sites'), webs);
    for (const web of webs.values()) {
      await readIntoMemory(web);
      for (const form of states.#forms()) await states.#add(web, 'before', form, null, 0);
    }
    return states;
  }

  async change(shares: readonly number[]): Promise<void> {
    for (const web of this.#webs.values()) {
      const { pages } = web.plan.shape;
      const changed = await changePages(web, join(this.#folder, `${pages}-changed`));
      for (const form of this.#forms()) {
        for (const share of shares) {
          await this.#add(web, String(share), form, changed, Math.round((pages * share) / 100));
        }
      }
    }
  }

  asItWas(contender: Contender, variant: Variant): Site {
    return this.#sites.get(this.#name(this.#pagesFor(contender), 'before', VARIANT_RULES[variant].sitemaps))!;
  }

  asItIs(contender: Contender, variant: Variant, share: number): Site {
    return this.#sites.get(this.#name(this.#pagesFor(contender), String(share), VARIANT_RULES[variant].sitemaps))!;
  }

  #forms(): ReadonlySet<boolean> {
    return new Set(this.#options.variants.map((variant) => VARIANT_RULES[variant].sitemaps));
  }

  #pagesFor({ crawler }: Contender): number {
    return crawler.slow ? this.#options.slowPages : this.#options.pages;
  }

  #name(pages: number, state: string, sitemaps: boolean): string {
    return `${pages}-${state}${sitemaps ? '-sitemaps' : ''}`;
  }

  async #add(
    web: LocalWeb,
    state: string,
    sitemaps: boolean,
    changed: ChangedPages | null,
    count: number,
  ): Promise<void> {
    const name = this.#name(web.plan.shape.pages, state, sitemaps);
    this.#sites.set(name, await makeSite(web, join(this.#folder, name), changed, count, sitemaps));
  }
}

/**
 * Otherwise one run would wait for the disk while another finds the files in memory. New files are in memory anyway.
 */
async function readIntoMemory({ folder, plan }: LocalWeb): Promise<void> {
  for (let page = 0; page < plan.shape.pages; page++) {
    const path = filePath(folder, plan, page);
    await Promise.all([readFile(path), readFile(`${path}.gz`)]);
  }
}
