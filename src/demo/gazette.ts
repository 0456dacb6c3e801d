/** The Dew Gazette: articles with a feed, lists of articles, an endless calendar, and a front page under two URLs. */
import { addLetters, addOddities } from './gazette-oddities.ts';
import { html, link, list, table } from './html.ts';
import { layout } from './layout.ts';
import { addFeed, addRobots, addSitemap } from './listings.ts';
import { Prose, slug } from './prose.ts';
import { type Answer, type Origins, SiteBuilder, type Visit } from './site.ts';

const TOPICS = ['Weather', 'Building', 'Visitors', 'Lost and found'];
const AUTHORS = ['A. Diadem', 'B. Spoke', 'C. Spiral'];
const YEAR = 2024;
const MONTH_COUNT = 12;
const ARTICLES_PER_MONTH = 4;
const FRONT_PAGE_ARTICLES = 12;

interface Article {
  readonly title: string;
  readonly topic: string;
  readonly author: string;
  readonly day: string;
  readonly month: string;
  readonly path: string;
}

const HEADLINES = [
  'Dew expected',
  'Gate left open',
  'Moth seen at lamp',
  'New bridge line',
  'Hub found empty',
  'Wind, then calm',
];
const PLACES = [
  'on the heath',
  'by the brook',
  'in the orchard',
  'at the old mill',
  'under the eaves',
  'near the school',
  'in the reeds',
];

/** Newest first. */
const ARTICLES: readonly Article[] = Array.from({ length: MONTH_COUNT * ARTICLES_PER_MONTH }, (_, i) => {
  const month = `${YEAR}-${String(Math.floor(i / ARTICLES_PER_MONTH) + 1).padStart(2, '0')}`;
  const day = `${month}-${String((i % ARTICLES_PER_MONTH) * 7 + 3).padStart(2, '0')}`;
  const title = `${HEADLINES[i % HEADLINES.length]} ${PLACES[i % PLACES.length]}`;
  const path = `/${month.replace('-', '/')}/${slug(title)}`;
  return { title, topic: TOPICS[i % TOPICS.length]!, author: AUTHORS[i % AUTHORS.length]!, day, month, path };
}).reverse();

export function buildGazette(origins: Origins): SiteBuilder {
  const site = new SiteBuilder({
    origin: origins.gazette,
    name: 'The Dew Gazette',
    motto: 'all the news that sticks',
    ink: '#3b4a7a',
    paper: '#f4f4f8',
    navigation: [
      ['Front page', '/'],
      ['Calendar', '/calendar'],
      ['Letters', '/letters/'],
      ['Weather', '/weather'],
    ],
    neighbours: [
      ['The Field Guide', `${origins.guide}/`],
      ['Webs & Sons', `${origins.shop}/`],
    ],
    feed: '/feed.atom',
  });
  addFront(site);
  for (const [index, article] of ARTICLES.entries()) addArticle(site, article, index, origins);
  addLists(site);
  addLetters(site);
  addOddities(site);
  addFeed(
    site,
    '/feed.atom',
    ARTICLES.slice(0, 20).map((article) => ({ ...article, summary: new Prose(article.path).sentence() })),
  );
  addRobots(site, ['/editors/']);
  addSitemap(site);
  return site;
}

function headlines(articles: readonly Article[]): ReturnType<typeof list> {
  return list(articles.map(({ title, path, day }) => html`${link(title, path)} <small>${day}</small>`));
}

function addFront(site: SiteBuilder): void {
  const face = {
    path: '/',
    title: 'This morning’s webs',
    description: 'News from hedge, gate and heath.',
    body: html`<p class="lead">${new Prose('front').paragraph(3)}</p>${headlines(ARTICLES.slice(0, FRONT_PAGE_ARTICLES))}
<h2>Topics</h2>${list(TOPICS.map((topic) => link(topic, `/topic/${slug(topic)}`)))}
<h2>Authors</h2>${list(AUTHORS.map((author) => link(author, `/by/${slug(author)}`)))}
<h2>From the archive</h2>${list(
      Array.from({ length: MONTH_COUNT }, (_, i) => monthOf(YEAR, i)).map((month) =>
        link(month, `/archive/${month.replace('-', '/')}`),
      ),
    )}
<h2>Also</h2>${list([
      link('Yesterday’s front page', '/yesterday'),
      link('The paper as it was first printed', '/first-edition'),
      link('An argument that goes in circles', '/circle/one'),
      link('A story we took back', '/retracted'),
      link('A story nobody can find', '/2024/02/missing'),
      link('A story that took its time', '/slow-news'),
      link('The editors’ desk', '/editors/desk'),
      html`<a href="/advertise" rel="nofollow sponsored">Advertise here</a>`,
      html`<a href="mailto:desk@gazette.invalid">Write to us</a>`,
    ])}`,
  };
  site.page('/', () => face);
  // The same bytes under a second URL, without a canonical link that names the right one.
  const first = layout(site.face, { ...face, path: '/first-edition' });
  const facsimile = {
    status: 200,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: withoutCanonical(first.text),
  };
  site.answer('/first-edition', () => facsimile);
  site.answer('/first-edition/facsimile', () => facsimile);
}

function withoutCanonical(page: string): string {
  return page
    .replace(/<link rel="canonical"[^<>]*>\n/, '')
    .replace('</main>', '<p><a href="/first-edition/facsimile">Facsimile</a></p>\n</main>');
}

function addArticle(site: SiteBuilder, article: Article, index: number, origins: Origins): void {
  const { title, topic, author, day, path } = article;
  const older = ARTICLES[index + 1];
  site.page(path, () => {
    const prose = new Prose(path);
    return {
      title,
      description: prose.sentence(),
      ...(older ? { next: older.path } : {}),
      structured: {
        '@context': 'https://schema.org',
        '@type': 'NewsArticle',
        headline: title,
        datePublished: day,
        author: { '@type': 'Person', name: author },
      },
      body: html`<p><small>${day}, by ${link(author, `/by/${slug(author)}`)}, in ${link(topic, `/topic/${slug(topic)}`)}</small></p>
<p class="lead">${prose.paragraph(2)}</p><p>${prose.paragraph(6)}</p><h2>What witnesses say</h2><p>${prose.paragraph(5)}</p>
<p>${older ? link(`Earlier: ${older.title}`, older.path) : 'This is where our archive begins.'}
Who made it? ${link('Look it up', `${origins.guide}/species/`)}.</p>`,
    };
  });
}

function addLists(site: SiteBuilder): void {
  const add = (path: string, title: string, belongs: (article: Article) => boolean): void => {
    const articles = ARTICLES.filter(belongs);
    site.page(path, () => ({ title, description: `${articles.length} articles.`, body: headlines(articles) }));
  };
  for (const topic of TOPICS) add(`/topic/${slug(topic)}`, topic, (article) => article.topic === topic);
  for (const author of AUTHORS) {
    add(`/by/${slug(author)}`, `Written by ${author}`, (article) => article.author === author);
  }
  for (let i = 0; i < MONTH_COUNT; i++) {
    const month = monthOf(YEAR, i);
    add(`/archive/${month.replace('-', '/')}`, `Archive of ${month}`, (article) => article.month === month);
  }
  site.answer('/calendar', (visit) => calendar(site, visit));
}

function monthOf(year: number, index: number): string {
  const carried = year + Math.floor(index / 12);
  return `${carried}-${String((((index % 12) + 12) % 12) + 1).padStart(2, '0')}`;
}

/** Every month links to the previous and the next month, so the calendar has no end. */
function calendar(site: SiteBuilder, { query }: Visit): Answer | null {
  const asked = query.get('month') ?? `${YEAR}-06`;
  const found = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(asked);
  if (!found) return null;
  const [year, index] = [Number(found[1]), Number(found[2]) - 1];
  const pathOf = (month: string): string => `/calendar?month=${month}`;
  const [previous, next] = [pathOf(monthOf(year, index - 1)), pathOf(monthOf(year, index + 1))];
  const rows = ARTICLES.filter(({ month }) => month === asked).map(({ day, title, path }) => [day, link(title, path)]);
  return site.render({
    path: pathOf(asked),
    title: `Calendar: ${asked}`,
    description: `What happened in ${asked}.`,
    previous,
    next,
    body: html`<p>${link('The month before', previous)} · ${link('The month after', next)}</p>
${table(['Day', 'Event'], rows.length === 0 ? [['–', 'Nothing stuck.']] : rows)}`,
  });
}
