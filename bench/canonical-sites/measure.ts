/**
 * How canonical links between real pages are judged. In: the pages of a site with the truth. Out: how many right links
 * are honoured, and which distinct pages wrong links lose.
 *
 * Right links lead from a version of a page to the page. Wrong links lead to another page of the site. Pages and
 * versions come in random order, and each is sketched with the template as it is known then, as in a crawl.
 */
import { sketchOwnText } from '../../src/content/own-text.ts';
import { Template } from '../../src/content/template/template.ts';
import { type ComparedPage, compare } from '../../src/store/rules/canonical-rule.ts';
import { randomBelow, seededRandom } from '../../testbed/random.ts';
import type { TruePage, TrueSite } from '../template-sites/read-truth.ts';
import { countWords } from './count-words.ts';
import { OTHER_TITLE, VARIANTS } from './variants.ts';

/** Pages of each kind. */
const TRIED = 60;
const SEED = 7;
const RUN = 3;

export interface KindFigures {
  readonly kind: string;
  readonly tried: number;
  /** Links that are believed. */
  readonly believed: number;
  /** Links that are not believed because one of the pages has too little text. */
  readonly tooLittleText: number;
}

export interface LostPage {
  readonly page: string;
  readonly target: string;
  /** The share of common runs of three words in the own content of both (Jaccard). */
  readonly resemblance: number;
  /** The share of the page's runs that the target has, too. */
  readonly containment: number;
}

export interface CanonicalFigures {
  readonly site: string;
  readonly right: readonly KindFigures[];
  readonly wrong: readonly KindFigures[];
  readonly lost: readonly LostPage[];
}

/** A wrong link names another page of the site, which is chosen here. */
const WRONG: Readonly<Record<string, (pages: readonly TruePage[], page: TruePage, random: () => number) => TruePage>> =
  {
    'the first page of the site': (pages) => pages.reduce((first, page) => (page.url < first.url ? page : first)),
    'any page of the site': (pages, _, random) => pages[randomBelow(random, pages.length)]!,
    'the next page of the folder': (pages, { url }) => nextOf(pages, url, url.slice(0, url.lastIndexOf('/') + 1)),
    'a page with the same file name in another folder': (pages, page) => {
      const name = page.url.slice(page.url.lastIndexOf('/'));
      return pages.find(({ url }) => url !== page.url && url.endsWith(name)) ?? page;
    },
  };

function nextOf(pages: readonly TruePage[], url: string, folder: string): TruePage {
  const all = pages.filter((page) => page.url.startsWith(folder)).sort((a, b) => (a.url < b.url ? -1 : 1));
  return all[(all.findIndex((page) => page.url === url) + 1) % all.length]!;
}

export function measureLinks({ site, pages }: TrueSite): CanonicalFigures {
  const random = seededRandom(SEED);
  const tried = pages.slice(0, TRIED);
  const template = new Template();
  const sketches = new Map<string, ComparedPage>();
  const visits = [
    ...pages.map((page) => ({ key: page.url, page, words: page.words })),
    ...Object.keys(VARIANTS).flatMap((kind) =>
      tried.map((page) => ({ key: `${page.url}?${kind}`, page, words: VARIANTS[kind]!(page) })),
    ),
  ];
  for (let i = visits.length - 1; i > 0; i--) {
    const j = randomBelow(random, i + 1);
    [visits[i], visits[j]] = [visits[j]!, visits[i]!];
  }
  for (const { key, page, words } of visits) {
    const { marks } = template.learn(key, words);
    const { sketch = null } = words.count === 0 ? {} : sketchOwnText(words, marks);
    const title = key.endsWith(OTHER_TITLE) ? `${page.title} (to print)` : page.title;
    const wordCounts = words.count === 0 ? null : countWords(words);
    sketches.set(key, { bytes: 1, digest: Buffer.from(key), noindex: false, title, sketch, wordCounts });
  }
  const lost: LostPage[] = [];
  const wrong = Object.entries(WRONG).map(([kind, choose]) => {
    const pairs = tried.map((page) => [page, choose(pages, page, random)] as const).filter(([a, b]) => a !== b);
    const verdicts = pairs.map(([page, target]) => compare(sketches.get(page.url)!, sketches.get(target.url)!));
    for (const [i, [page, target]] of pairs.entries()) {
      if (verdicts[i] !== 'alike') continue;
      lost.push({ page: pathOf(page), target: pathOf(target), ...compareRuns(page, target) });
    }
    return figuresOf(kind, verdicts);
  });
  const right = Object.keys(VARIANTS).map((kind) =>
    figuresOf(
      kind,
      tried.map(({ url }) => compare(sketches.get(`${url}?${kind}`)!, sketches.get(url)!)),
    ),
  );
  return { site: site.name, right, wrong, lost };
}

function figuresOf(kind: string, verdicts: readonly ReturnType<typeof compare>[]): KindFigures {
  const count = (wanted: string) => verdicts.filter((verdict) => verdict === wanted).length;
  return { kind, tried: verdicts.length, believed: count('alike'), tooLittleText: count('too-little-text') };
}

function pathOf({ url }: TruePage): string {
  return new URL(url).pathname;
}

function compareRuns(page: TruePage, target: TruePage): Pick<LostPage, 'resemblance' | 'containment'> {
  const [runs, others] = [runsOf(page), runsOf(target)];
  const common = [...runs].filter((run) => others.has(run)).length;
  return { resemblance: common / (runs.size + others.size - common || 1), containment: common / (runs.size || 1) };
}

/** The runs of three words of the own content, by the truth. */
function runsOf({ words: { words, ends, blocks }, own }: TruePage): Set<string> {
  const text: number[] = [];
  for (let block = 0; block < blocks; block++) {
    if (own[block] !== 0) text.push(...words.subarray(block === 0 ? 0 : ends[block - 1]!, ends[block]!));
  }
  return new Set(text.slice(RUN - 1).map((_, i) => text.slice(i, i + RUN).join(' ')));
}
