/**
 * Examines the pages of one site. In: the content of a new or changed page. Out: its events. It also updates the links
 * of the main page, for the ranks (W3), and the pages that need a person to fill in a form (W6).
 */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Examined, examinePage } from './examine/examine-page.ts';
import type { LeftOutPages } from './left-out-pages.ts';
import { formOf } from './memory/key-order.ts';
import type { SiteMemory } from './memory/site-memory.ts';
import type { RankKeeper } from './rank-keeper.ts';
import { filesOf } from './rendered-memory.ts';
import type { NumberedRules } from './root-numbers.ts';
import type { SiteSettings } from './watch-settings.ts';

const MAX_MAIN_PAGE_BYTES = 8 * 1024 * 1024;

export interface ExaminerParts {
  readonly settings: SiteSettings;
  readonly rules: NumberedRules | null;
  readonly memory: Pick<SiteMemory, 'findForm'>;
  readonly ranks: RankKeeper;
  readonly leftOut: LeftOutPages;
}

export class SiteExaminer {
  readonly #parts: ExaminerParts;

  constructor(parts: ExaminerParts) {
    this.#parts = parts;
  }

  /** `file` is the file name. It shows the type if the URL does not. */
  examine(content: Buffer, url: string, file?: string): Pick<Examined, 'events' | 'isCut'> {
    const { settings, rules, ranks, leftOut } = this.#parts;
    const found = examinePage(content, url, settings.site, file);
    const addressed = (links: readonly string[]) => links.map((link) => rules?.urlOfLink(link) ?? link);
    const main = rules?.mainPage ?? settings.path;
    if (url === main) ranks.setMainLinks(addressed(found.links));
    // A search box in the head of every page leads to the main page, also if that is not `/`.
    const targets = addressed(found.formTargets).filter((target) => target !== main);
    leftOut.note(url, targets, found.isLogIn, (known) => this.#isPage(known));
    return { events: settings.events ? found.events : [], isCut: found.isCut };
  }

  #isPage(url: string): boolean {
    const { memory, rules, settings } = this.#parts;
    const keys = filesOf(url, rules, settings.index).map(({ root, path }) => `${root}/${path}`);
    return [`~${url}`, ...keys].some((key) => memory.findForm(formOf(key)) !== null);
  }

  /** Called at the start, because an unchanged main page is not read by a sweep. */
  async readMainPage(): Promise<void> {
    const { rules, settings } = this.#parts;
    for (const [root, watched] of (rules?.roots ?? []).entries()) {
      if (watched?.prefix !== rules!.mainPage) continue;
      for (const name of settings.index) {
        const path = join(watched.folder, name);
        const found = await lstat(path).catch(() => null);
        if (!found?.isFile() || found.size > MAX_MAIN_PAGE_BYTES) continue;
        const url = rules!.urlOf(root, name);
        const content = url === null ? null : await readFile(path).catch(() => null);
        if (content !== null) this.examine(content, url!, name);
        return;
      }
    }
  }
}
