/** Pages with random words, for tests of the index: frequent and rare words, headings, templates, links. */
import { BLOCK_ROLES, type SearchPage } from '../../../src/search/search-page.ts';
import { SeededRandom } from '../../../testbed/random.ts';

const WORDS = 400;
const HOSTS = ['one.example', 'two.example', 'docs.two.example'];
const LANGUAGES = ['en', 'de', ''];
const STEMS = ['run', 'walk', 'paint', 'link', 'crawl', 'train'];
const ENDINGS = ['', 's', 'ing', 'ed'];
const DAY_MS = 86_400_000;

/** Half of the words of a text are a few frequent ones. */
function sampleWord(random: SeededRandom): string {
  const number = random.below(3) === 0 ? random.below(WORDS) : random.below(12);
  return number % 5 === 0 ? random.pick(STEMS) + random.pick(ENDINGS) : `w${number.toString(36)}`;
}

function sampleText(random: SeededRandom, most: number): string {
  return Array.from({ length: random.below(most) }, () => sampleWord(random)).join(' ');
}

export function samplePage(random: SeededRandom, urlId: number, urls: number): SearchPage {
  const day = random.below(1_000);
  return {
    urlId,
    url: `https://${random.pick(HOSTS)}/${sampleWord(random)}/${urlId}`,
    title: sampleText(random, 6),
    description: sampleText(random, 10),
    blocks: Array.from({ length: random.below(8) }, () => ({
      text: sampleText(random, 30),
      role: random.pick(BLOCK_ROLES),
    })),
    links: Array.from({ length: random.below(6) }, () => ({
      targetId: 1 + random.below(urls),
      text: sampleText(random, 5),
    })),
    language: random.pick(LANGUAGES),
    fileType: random.pick(['html', 'pdf']),
    isNoindex: random.below(20) === 0,
    depth: random.below(6),
    fetchedAtMs: day * DAY_MS,
    changedAtMs: random.below(2) === 0 ? null : (day + 1) * DAY_MS,
    pageRank: random.below(100) / 10_000,
  };
}

export function samplePages(seed: number, count: number): SearchPage[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, (_, i) => samplePage(random, i + 1, count));
}
