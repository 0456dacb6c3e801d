/**
 * Labelled pages, made from the demo web, the same ones in every run. In: nothing. Out: pages in an order in
 * which a crawl might meet them, each with its family: an original and its variants. docs/duplicates.md
 * gives the labels and the reasons for them.
 */
import { buildGazette } from '../../src/demo/gazette.ts';
import { buildGuide } from '../../src/demo/guide.ts';
import { Prose } from '../../src/demo/prose.ts';
import { buildShop } from '../../src/demo/shop.ts';
import { SeededRandom } from '../../testbed/random.ts';

export const KINDS = [
  'original',
  'exact copy',
  'one word changed',
  'paragraphs moved',
  'markup changed',
  'date added',
  'marked boilerplate',
  'mostly boilerplate',
] as const;
export type Kind = (typeof KINDS)[number];

export interface LabelledPage {
  readonly kind: Kind;
  /** Pages of one family have the same or nearly the same content. */
  readonly family: string;
  readonly html: string;
  /** Pages of one host share a template. */
  readonly url: string;
}

const ORIGINS = { guide: 'http://guide.test', shop: 'http://shop.test', gazette: 'http://gazette.test' };
/** Articles, species and products, whose content differs. Their list pages do not differ and are left out. */
const WANTED = /^\/(?:\d{4}\/|species\/.|product\/)/;

type Change = (html: string, random: SeededRandom) => string;

const VARIANTS: readonly (readonly [Kind, Change])[] = [
  ['exact copy', (html) => html],
  ['one word changed', changeWord],
  ['paragraphs moved', moveParagraphs],
  ['markup changed', changeMarkup],
  ['date added', addDate],
];

export function labelledPages(seed: number): LabelledPage[] {
  const random = new SeededRandom(seed);
  const pages: LabelledPage[] = [];
  for (const [family, html] of originals()) {
    pages.push({ kind: 'original', family, html, url: family });
    for (const [i, [kind, change]] of VARIANTS.entries()) {
      const url = family.replace(/\/?$/, `-${i}`);
      if (random.below(2) === 0) pages.push({ kind, family, html: change(html, random), url });
    }
  }
  for (let i = 0; i < 60; i++) pages.push(markedBoilerplate(i), mostlyBoilerplate(i));
  return shuffled(pages, random);
}

function* originals(): Generator<readonly [string, string]> {
  for (const site of [buildGuide(ORIGINS), buildShop(ORIGINS), buildGazette(ORIGINS)]) {
    for (const path of site.listed) {
      if (!WANTED.test(path)) continue;
      const html = String(site.pages.get(path)!({ path, query: new URLSearchParams() })!.body);
      if (paragraphsOf(html).length > 1) yield [site.face.origin + path, html];
    }
  }
}

/** The paragraphs with the content of a page. */
function paragraphsOf(html: string): RegExpExecArray[] {
  return [...html.slice(0, html.indexOf('</main>')).matchAll(/<p(?: class="lead")?>([^<]{100,})<\/p>/g)];
}

function changeWord(html: string, random: SeededRandom): string {
  const paragraph = random.pick(paragraphsOf(html))[1]!;
  const words = paragraph.split(' ');
  words[random.below(words.length)] = random.pick(['gossamer', 'yesterday', 'umbrella', 'quickly', 'seven']);
  return html.replace(paragraph, words.join(' '));
}

function moveParagraphs(html: string): string {
  const [first, ...rest] = paragraphsOf(html).map(([whole]) => whole);
  const last = rest.at(-1)!;
  return html.replace(first!, '<!-- first -->').replace(last, first!).replace('<!-- first -->', last);
}

/** Changes elements, white space and case, and adds a style. For a reader the page is the same. */
function changeMarkup(html: string, random: SeededRandom): string {
  const style = `<style>main { max-width: ${random.below(90)}rem }</style>`;
  return html
    .replace('</head>', `${style}</head>`)
    .replaceAll('<p>', '<div class="text">\n\t')
    .replaceAll('</p>', '\n</div>')
    .replace(/<h2>([^<]+)/g, (_, title: string) => `<h2 id="${random.below(1_000)}">${title.toUpperCase()}`)
    .replace(/, the /g, ',&#32;<i>the</i>&nbsp; ');
}

function addDate(html: string, random: SeededRandom): string {
  const day = 1 + random.below(28);
  return html.replace('</main>', `<p>Read ${random.below(10_000)} times, last on ${day}.11.2025</p></main>`);
}

/** A page with far more boilerplate than text. The boilerplate is in elements that mark it as boilerplate. */
function markedBoilerplate(i: number): LabelledPage {
  const own = new Prose(`marked ${i}`).paragraph(6);
  const all = new Prose('terms').paragraph(60);
  const html = `<title>${i}</title><header>${all}</header><main><p>${own}</p></main><aside>${all}</aside><footer>${all}</footer>`;
  return { kind: 'marked boilerplate', family: `marked ${i}`, html, url: `http://marked.test/${i}` };
}

/** Between half and four fifths of the text is the same on all these pages, and nothing marks it as boilerplate. */
function mostlyBoilerplate(i: number): LabelledPage {
  const sentences = 24;
  const shared = Math.round(sentences * (0.5 + (0.3 * (i % 10)) / 9));
  const all = new Prose('conditions').paragraph(sentences).split('. ').slice(0, shared).join('. ');
  const own = new Prose(`mostly ${i}`).paragraph(sentences - shared);
  const html = `<title>${i}</title><div>${all}.</div><div>${own}</div>`;
  return { kind: 'mostly boilerplate', family: `mostly ${i}`, html, url: `http://mostly.test/${i}` };
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  const left = [...items];
  return items.map(() => left.splice(random.below(left.length), 1)[0]!);
}
