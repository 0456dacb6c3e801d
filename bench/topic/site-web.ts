/**
 * A real site as a web for focused crawls, and a rule that says which of its pages are on a topic. The rule is
 * independent of the crawler's judgement: it knows the whole site, and counts mentions.
 *
 * Own text: the lines of the visible text that stand on at most ten pages of the site. More are template.
 * Needed words: the words of the topic. A word in the own text of more than half of the pages is not needed if another
 * word is left: on a site about PostgreSQL, `PostgreSQL replication` means replication.
 * On topic: all needed words are in the title of the page; or each of them is in its own text at least twice, and
 * together they are at least one in 200 of its words.
 */
import { SITE_HOST, type Site } from '../site/read-site.ts';
import type { FocusWeb, WebLink } from './simulate.ts';

const MOST_PAGES_WITH_A_LINE = 10;
const LEAST_MENTIONS = 2;
const LEAST_SHARE = 1 / 200;

interface OwnWords {
  readonly title: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

export class SiteWeb {
  readonly site: Site;
  readonly #own: readonly OwnWords[];

  constructor(site: Site) {
    this.site = site;
    const pagesWith = new Map<string, number>();
    for (const { text } of site.pages) {
      for (const line of new Set(text.split('\n'))) pagesWith.set(line, (pagesWith.get(line) ?? 0) + 1);
    }
    this.#own = site.pages.map(({ title, text }) => {
      const own = text.split('\n').filter((line) => pagesWith.get(line)! <= MOST_PAGES_WITH_A_LINE);
      const words = wordsOf(own.join('\n'));
      const counts = new Map<string, number>();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      return { title: new Set(wordsOf(title)), counts, total: words.length };
    });
  }

  onTopic(topic: string): boolean[] {
    const words = wordsOf(topic);
    const isCommon = (word: string) => this.#own.filter(({ counts }) => counts.has(word)).length > this.#own.length / 2;
    const rare = words.filter((word) => !isCommon(word));
    const needed = rare.length > 0 ? rare : words;
    return this.#own.map(({ title, counts, total }) => {
      if (needed.every((word) => title.has(word))) return true;
      const mentions = needed.map((word) => counts.get(word) ?? 0);
      const all = mentions.reduce((sum, each) => sum + each, 0);
      return mentions.every((each) => each >= LEAST_MENTIONS) && all >= LEAST_SHARE * total;
    });
  }

  webFor(topic: string): FocusWeb {
    const { pages } = this.site;
    const onTopic = this.onTopic(topic);
    const linkStart = new Uint32Array(pages.length + 1);
    for (const [page, { links }] of pages.entries()) linkStart[page + 1] = linkStart[page]! + links.length;
    return {
      pages: pages.length,
      linkStart,
      linkTo: Uint32Array.from(pages.flatMap(({ links }) => links.map(({ to }) => to))),
      onTopicPages: onTopic.filter(Boolean).length,
      isOnTopic: (page) => onTopic[page]!,
      title: (page) => pages[page]!.title,
      visibleText: (page) => pages[page]!.text,
      link: (from, at): WebLink => {
        const { to, anchor, around } = pages[from]!.links[at - linkStart[from]!]!;
        return { url: SITE_HOST + encodeURI(pages[to]!.path), anchor, around };
      },
    };
  }
}

/** Lower case, without a plural s. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/(?<=[^su])s$/, '') : word,
  );
}
