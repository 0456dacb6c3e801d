/**
 * What the pages of one site say of it. In: the content of a page that is new or has changed. Out: its events; and besides, where the main page
 * links to, for the ranks (W3), and which pages need a person who fills in a form (W6).
 */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formOf } from './detect/key-order.ts';
import type { SiteMemory } from './detect/site-memory.ts';
import { type Examined, examinePage, needsAPerson } from './examine/examine-page.ts';
import type { LeftOutPages } from './left-out-pages.ts';
import type { RankKeeper } from './rank-keeper.ts';
import { filesOf } from './rendered-memory.ts';
import type { NumberedRules } from './root-numbers.ts';
import type { SiteSettings } from './watch-settings.ts';

const MAX_MAIN_PAGE_BYTES = 8 * 1024 * 1024;

export class SiteExaminer {
  readonly #settings: SiteSettings;
  readonly #rules: NumberedRules | null;
  readonly #memory: Pick<SiteMemory, 'findForm'>;
  readonly #ranks: RankKeeper;
  readonly #leftOut: LeftOutPages;

  constructor(
    settings: SiteSettings,
    rules: NumberedRules | null,
    memory: Pick<SiteMemory, 'findForm'>,
    ranks: RankKeeper,
    leftOut: LeftOutPages,
  ) {
    this.#settings = settings;
    this.#rules = rules;
    this.#memory = memory;
    this.#ranks = ranks;
    this.#leftOut = leftOut;
  }

  /** `file`: its name, which says what it is where the URL does not. */
  examine(content: Buffer, url: string, file?: string): Pick<Examined, 'events' | 'isCut'> {
    const found = examinePage(content, url, this.#settings.site, file);
    const addressed = (links: readonly string[]) => links.map((link) => this.#rules?.urlOfLink(link) ?? link);
    const main = this.#rules?.mainPage ?? this.#settings.path;
    if (url === main) this.#ranks.setMainLinks(addressed(found.links));
    // A search box in the head of every page leads to the main page, also where that is not `/`.
    const targets = addressed(found.formTargets).filter((target) => target !== main);
    this.#leftOut.note(url, targets, needsAPerson(found), (known) => this.#isPage(known));
    return { events: this.#settings.events ? found.events : [], isCut: found.isCut };
  }

  #isPage(url: string): boolean {
    if (this.#memory.findForm(formOf(`~${url}`)) !== null) return true;
    for (const { root, path } of filesOf(url, this.#rules, this.#settings.index)) {
      if (this.#memory.findForm(formOf(`${root}/${path}`)) !== null) return true;
    }
    return false;
  }

  /** Where it did not change since the watcher last ran nobody else reads it. */
  async readMainPage(): Promise<void> {
    const { index } = this.#settings;
    for (const [root, watched] of (this.#rules?.roots ?? []).entries()) {
      if (watched?.prefix !== this.#rules!.mainPage) continue;
      for (const name of index) {
        const path = join(watched.folder, name);
        const found = await lstat(path).catch(() => null);
        if (!found?.isFile() || found.size > MAX_MAIN_PAGE_BYTES) continue;
        const url = this.#rules!.urlOf(root, name);
        const content = url === null ? null : await readFile(path).catch(() => null);
        if (content !== null) this.examine(content, url!, name);
        return;
      }
    }
  }
}
