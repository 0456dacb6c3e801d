/** Webs & Sons: a shop with products, facets, session ids, tracking links, and one shelf without end. */
import { type Html, html, link, list, table } from './html.ts';
import { addRobots, addSitemap } from './listings.ts';
import { webPicture } from './pictures.ts';
import { Prose, slug } from './prose.ts';
import { type Answer, type Origins, SiteBuilder, type Visit } from './site.ts';

const COLOURS = ['silver', 'gold', 'smoke', 'dew'];
const SIZES = ['small', 'medium', 'large'];
const SORTS = ['price'];
const GOODS = [
  'Orb web',
  'Funnel',
  'Hammock',
  'Ladder web',
  'Tangle',
  'Signal line',
  'Bridge line',
  'Sticky spiral',
  'Web frame',
  'Dew drops',
];
/**
 * A session id in the URL, as a server without cookies creates it. A real server
 * would give every visitor a different one.
 */
const SESSION = '9f3c2a7e41d84b06a5c1e0b7d2f86a93';

interface Product {
  readonly name: string;
  readonly kind: string;
  readonly colour: string;
  readonly size: string;
  readonly cents: number;
  readonly path: string;
}

const PRODUCTS: readonly Product[] = GOODS.flatMap((kind, g) =>
  COLOURS.map((colour, c) => {
    const name = `${kind}, ${colour}`;
    const size = SIZES[(g + c) % SIZES.length]!;
    return { name, kind, colour, size, cents: 450 + new Prose(name).number(9_000), path: `/product/${slug(name)}` };
  }),
);

export function buildShop(origins: Origins): SiteBuilder {
  const site = new SiteBuilder({
    origin: origins.shop,
    name: 'Webs & Sons',
    motto: 'fine webs, hung while you wait, since this morning',
    ink: '#8a4b2d',
    paper: '#fbf6ef',
    navigation: [
      ['Home', '/'],
      ['Catalogue', '/catalogue'],
      ['Toys', '/toys/'],
      ['Basket', `/basket;jsessionid=${SESSION}`],
    ],
    neighbours: [
      ['The Field Guide', `${origins.guide}/`],
      ['The Dew Gazette', `${origins.gazette}/`],
    ],
  });
  addHome(site);
  for (const [index, product] of PRODUCTS.entries()) addProduct(site, product, index % 8 === 0);
  for (const kind of GOODS) addShelf(site, kind);
  site.answer('/catalogue', (visit) => catalogue(site, visit));
  for (const path of ['/basket', `/basket;jsessionid=${SESSION}`]) site.answer(path, () => basket(site));
  site.answer('/checkout/', () =>
    site.render({
      path: '/checkout/',
      title: 'Checkout',
      description: 'Not for crawlers.',
      body: html`<p>Pay here.</p>`,
    }),
  );
  site.spaces.set('/toys/', (visit) => toys(site, visit));
  addRobots(site, ['/checkout/']);
  addSitemap(site);
  return site;
}

function price(cents: number): string {
  return `€ ${(cents / 100).toFixed(2)}`;
}

function cards(products: readonly Product[]): Html {
  return html`<ul class="cards">${products.map(
    ({ name, path, size, cents }) => html`<li>${link(name, path)}<br>${size}<br><b>${price(cents)}</b></li>\n`,
  )}</ul>`;
}

function addHome(site: SiteBuilder): void {
  site.page('/', () => ({
    title: 'A web for every window',
    description: 'Webs of all colours and sizes, made to measure.',
    body: html`<p class="lead">Every web is taken down at closing time and hung anew in the morning.</p>
<h2>On the counter</h2>${cards(PRODUCTS.filter((_, index) => index % 7 === 0))}
<h2>Shelves</h2>${list(GOODS.map((kind) => link(kind, `/shelf/${slug(kind)}`)))}
<p>${link('This week’s letter', `${PRODUCTS[3]!.path}?ref=letter`)} praises the ${PRODUCTS[3]!.name.toLowerCase()}.
${link('Go to the checkout', '/checkout/')}, or ask for ${link('what we no longer sell', '/product/cobweb-broom')}.</p>`,
  }));
}

function addProduct(site: SiteBuilder, product: Product, isShared: boolean): void {
  const { name, kind, colour, size, cents, path } = product;
  const picture = `/pictures/${slug(name)}.png`;
  site.answer(picture, () => webPicture(name));
  site.page(path, () => ({
    title: name,
    description: `${name}, ${size}, ${price(cents)}.`,
    structured: {
      '@context': 'https://schema.org',
      '@type': 'Product',
      name,
      color: colour,
      size,
      offers: { '@type': 'Offer', price: (cents / 100).toFixed(2), priceCurrency: 'EUR' },
    },
    body: html`<img class="plate" src="${picture}" width="180" height="180" alt="${name}">
<p class="lead">${new Prose(path).paragraph(2)}</p>
${table(
  ['', ''],
  [
    ['Price', html`<b class="price">${price(cents)}</b>`],
    ['Size', size],
    ['Colour', link(colour, `/catalogue?colour=${colour}`)],
    ['Kind', link(kind, `/shelf/${slug(kind)}`)],
  ],
)}
<p>${new Prose(name).paragraph(5)}</p>
<p>${link('Put into the basket', `/basket;jsessionid=${SESSION}`)}. ${isShared ? link('Send to a friend', `${path}?ref=friend`) : ''}</p>
<h2>Goes well with</h2>${cards(PRODUCTS.filter((other) => other.size === size && other.colour === colour && other !== product))}`,
  }));
}

function addShelf(site: SiteBuilder, kind: string): void {
  site.page(`/shelf/${slug(kind)}`, () => ({
    title: `${kind}: all colours`,
    description: `Our shelf of ${kind.toLowerCase()}s.`,
    body: html`<p>${new Prose(kind).paragraph(3)}</p>${cards(PRODUCTS.filter((product) => product.kind === kind))}`,
  }));
}

/** Facets: every combination is a separate page. */
function catalogue(site: SiteBuilder, { query }: Visit): Answer {
  const chosen = { colour: query.get('colour'), size: query.get('size'), sort: query.get('sort') };
  const shown = PRODUCTS.filter(
    ({ colour, size }) => (chosen.colour ?? colour) === colour && (chosen.size ?? size) === size,
  );
  if (chosen.sort === 'price') shown.sort((left, right) => left.cents - right.cents);
  const facet = (name: keyof typeof chosen, values: readonly string[]): Html =>
    html`<p>${name}: ${link('any', facetPath({ ...chosen, [name]: null }))} ${values.map(
      (value) => html`${link(value, facetPath({ ...chosen, [name]: value }))} `,
    )}</p>`;
  const words = Object.values(chosen).filter((value) => value !== null);
  return site.render({
    path: facetPath(chosen),
    title: words.length === 0 ? 'Catalogue' : `Catalogue: ${words.join(', ')}`,
    description: `${shown.length} webs.`,
    body: html`${facet('colour', COLOURS)}${facet('size', SIZES)}${facet('sort', SORTS)}${cards(shown)}`,
  });
}

function facetPath(chosen: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(chosen).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return pairs.length === 0 ? '/catalogue' : `/catalogue?${new URLSearchParams(Object.fromEntries(pairs))}`;
}

function basket(site: SiteBuilder): Answer {
  return site.render({
    path: '/basket',
    title: 'Your basket',
    description: 'Nothing in it yet.',
    robots: 'noindex',
    body: html`<p>Your basket is as empty as a web in the rain. ${link('Back to the catalogue', '/catalogue')}.</p>`,
  });
}

/** Endless relative links: each shelf links to a similar shelf below it (C8). */
function toys(site: SiteBuilder, { path }: Visit): Answer | null {
  if (!path.endsWith('/')) return null;
  const [label, href] = path.endsWith('/computers/') ? ['Toys', 'toys/'] : ['Computers', 'computers/'];
  const depth = path.split('/').length - 2;
  return site.render({
    path,
    title: depth === 1 ? 'Toys' : `Toys, shelf ${depth}`,
    description: 'A shelf with a shelf on it.',
    body: html`<p>${new Prose(path).paragraph(3)}</p><p>Further in: ${link(label!, href!)}</p>`,
  });
}
