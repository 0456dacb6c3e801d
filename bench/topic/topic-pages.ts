/**
 * Says which pages of a real site are on a topic. The rule is independent of the crawler's judgement: it knows the whole
 * site, and counts mentions.
 *
 * Own text: the lines of the visible text that stand on at most ten pages of the site. More are template.
 * Needed words: the words of the topic. A word in the own text of more than half of the pages is not needed if another
 * word is left: on a site about PostgreSQL, `PostgreSQL replication` means replication.
 * On topic: all needed words are in the title of the page; or each of them is in its own text at least twice, and
 * together they are at least one in 200 of its words.
 */
import type { Site } from '../site/read-site.ts';

const MOST_PAGES_WITH_A_LINE = 10;
const LEAST_MENTIONS = 2;
const LEAST_SHARE = 1 / 200;

interface OwnWords {
  readonly title: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

export class TopicPages {
  readonly #own: readonly OwnWords[];

  constructor(site: Site) {
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
}

/** Lower case, without a plural s. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 ? word.replace(/(?<=[^su])s$/, '') : word,
  );
}
