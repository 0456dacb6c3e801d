/** The Field Guide: forty-eight invented orb-weavers, with genera, habitats, a glossary and a few pages in German. */
import { redirectChain } from './behaviours.ts';
import { type Html, html, link, list } from './html.ts';
import { addRobots, addSitemap } from './listings.ts';
import { leaflet, webPicture } from './pictures.ts';
import { Prose, slug } from './prose.ts';
import { type Origins, SiteBuilder } from './site.ts';
import { GENERA, HABITATS, measures, SPECIES, type Species } from './species.ts';

/* The part of the guide that exists in two languages. Each page links to the other language (hreflang). */

/** How many species are translated, from the first on. */
const TRANSLATED = 10;

function alternatesOf({ path }: Species): (readonly [string, string])[] {
  return [
    ['en', path],
    ['de', `/de${path}`],
    ['x-default', path],
  ];
}

function addGerman(site: SiteBuilder): void {
  const translated = SPECIES.slice(0, TRANSLATED);
  site.page('/de/', () => ({
    title: 'Wer hat das Rad ans Gatter gehängt?',
    description: 'Ein Bestimmungsbuch erfundener Radnetzspinnen.',
    language: 'de',
    alternates: [
      ['en', '/'],
      ['de', '/de/'],
      ['x-default', '/'],
    ],
    body: html`<p class="lead">Eine Radnetzspinne baut ihr Netz jeden Tag ab und wieder auf. Zehn von achtundvierzig
Arten sind schon übersetzt.</p>${list(translated.map(({ name, path }) => link(name, `/de${path}`)))}`,
  }));
  for (const species of translated) {
    site.page(`/de${species.path}`, () => ({
      title: `${species.name} (Radnetzspinne)`,
      description: `${species.latin}: Größe, Netz und Jahreszeit.`,
      language: 'de',
      alternates: alternatesOf(species),
      body: html`<p class="lead">Diese Art heißt <i>${species.latin}</i> und hängt ihr Netz gern auf, wo es noch still ist.</p>
${measures(species)}<p>${link('Diese Seite auf Englisch', species.path)}. ${link('Zur Übersicht', '/de/')}.</p>`,
    }));
  }
}

/** The terms of the guide, with one page for each. */
const TERMS: Readonly<Record<string, string>> = {
  Abdomen: 'The hind part of a spider, where the silk is made.',
  'Bridge line': 'The first thread of a web, carried across by the wind.',
  Cephalothorax: 'The front part of a spider, which has the legs and the eyes.',
  Dragline: 'The safety thread a spider trails behind itself.',
  Frame: 'The outer threads, which hold all the rest.',
  Hub: 'The middle of the web, where the spokes meet.',
  Palps: 'Two short feelers beside the mouth.',
  Retreat: 'A rolled leaf or a crack, in which the spider waits.',
  'Signal thread': 'A line from the hub to the retreat that tells of every visitor.',
  Spinneret: 'The organ from which silk comes.',
  Spiral: 'The sticky thread that catches; laid last, from outside to inside.',
  Spoke: 'A dry thread from the hub to the frame.',
  Stabilimentum: 'A dense zigzag in some webs; nobody is sure what it is for.',
  'Web renewal': 'Many orb-weavers take the web down and build it anew every day.',
};

function addGlossary(site: SiteBuilder): void {
  const terms = Object.entries(TERMS);
  site.page('/glossary/', () => ({
    title: 'Glossary',
    description: 'The words of this guide.',
    body: html`<dl>${terms.map(([term, meaning]) => html`<dt>${link(term, `/glossary/${slug(term)}`)}</dt><dd>${meaning}</dd>\n`)}</dl>`,
  }));
  for (const [index, [term, meaning]] of terms.entries()) {
    const [next] = terms[(index + 1) % terms.length]!;
    site.page(`/glossary/${slug(term)}`, () => ({
      title: term,
      description: meaning,
      body: html`<p class="lead">${meaning}</p><p>${new Prose(term).paragraph()}</p>
<p>Next: ${link(next, `/glossary/${slug(next)}`)}. Back to ${link('the glossary', '/glossary/')}.</p>`,
    }));
  }
}

const SPECIES_PER_PAGE = 16;

export function buildGuide(origins: Origins): SiteBuilder {
  const site = new SiteBuilder({
    origin: origins.guide,
    name: 'The Field Guide',
    motto: 'forty-eight orb-weavers and where to look for them',
    ink: '#2f6b4f',
    paper: '#f6f7f1',
    navigation: [
      ['Home', '/'],
      ['Species', '/species/'],
      ['Habitats', '/habitats/'],
      ['Glossary', '/glossary/'],
      ['Deutsch', '/de/'],
    ],
    neighbours: [
      ['Webs & Sons', `${origins.shop}/`],
      ['The Dew Gazette', `${origins.gazette}/`],
    ],
  });
  addHome(site);
  addIndex(site);
  for (const [index, species] of SPECIES.entries()) addSpecies(site, species, index, origins);
  addGenera(site);
  addHabitats(site);
  addGlossary(site);
  addGerman(site);
  for (const [path, responder] of redirectChain(['/guide', '/guide/start', '/guide/start/here', '/species/'])) {
    site.answer(path, responder);
  }
  site.answer('/leaflet.pdf', () => leaflet('How to look at a web without touching it'));
  site.answer('/notebook/', () =>
    site.render({
      path: '/notebook/',
      title: 'Private notebook',
      description: 'Not for crawlers.',
      body: html`<p>Unfinished notes.</p>`,
    }),
  );
  addRobots(site, ['/notebook/', '/*.draft$']);
  addSitemap(site);
  return site;
}

function cards(species: readonly Species[]): Html {
  return html`<ul class="cards">${species.map(
    ({ name, path, latin, habitat }) => html`<li>${link(name, path)}<br><i>${latin}</i><br>${habitat}</li>\n`,
  )}</ul>`;
}

function addHome(site: SiteBuilder): void {
  site.page('/', () => ({
    title: 'Who hung the wheel on the gate?',
    description: 'A field guide of forty-eight invented orb-weaver spiders.',
    alternates: [
      ['en', '/'],
      ['de', '/de/'],
      ['x-default', '/'],
    ],
    body: html`<p class="lead">An orb-weaver takes its web down and builds it anew every day. This guide helps to tell
whose it is: by the spokes, by the spiral, and by the hour.</p>
<h2>Begin with these</h2>${cards(SPECIES.slice(0, 6))}
<h2>By genus</h2>${list(GENERA.map((genus) => link(genus, `/genera/${slug(genus)}`)))}
<h2>To take along</h2>
<p>${link('A leaflet to print', '/leaflet.pdf')}, ${link('the guide as it was', '/guide')}, ${link('a page that was lost', '/species/moon-weaver')}
and ${link('our notebook', '/notebook/')}, which robots are asked not to read.</p>`,
  }));
}

function addIndex(site: SiteBuilder): void {
  const last = Math.ceil(SPECIES.length / SPECIES_PER_PAGE);
  const pathOf = (number: number): string => (number === 1 ? '/species/' : `/species/page/${number}`);
  for (let number = 1; number <= last; number++) {
    const shown = SPECIES.slice((number - 1) * SPECIES_PER_PAGE, number * SPECIES_PER_PAGE);
    site.page(pathOf(number), () => ({
      title: number === 1 ? 'All species' : `All species, page ${number}`,
      description: `Page ${number} of ${last} of the list of species.`,
      ...(number > 1 ? { previous: pathOf(number - 1) } : {}),
      ...(number < last ? { next: pathOf(number + 1) } : {}),
      body: html`${cards(shown)}<p>${Array.from({ length: last }, (_, i) => html`${link(`Page ${i + 1}`, pathOf(i + 1))} `)}</p>`,
    }));
  }
}

function addSpecies(site: SiteBuilder, species: Species, index: number, origins: Origins): void {
  const picture = `/plates/${slug(species.latin)}.png`;
  site.answer(picture, () => webPicture(species.latin));
  site.page(species.path, () => {
    const prose = new Prose(species.path);
    const near = SPECIES.filter((other) => other.habitat === species.habitat && other !== species);
    return {
      title: species.name,
      description: `${species.name} (${species.latin}): size, web and season.`,
      alternates: index < TRANSLATED ? alternatesOf(species) : [],
      body: html`<img class="plate" src="${picture}" width="180" height="180" alt="Web of the ${species.name}">
<p class="lead"><i>${species.latin}</i>, of the genus ${link(species.genus, `/genera/${slug(species.genus)}`)}.</p>
${measures(species)}
<h2>The web</h2><p>${prose.paragraph(5)}</p><p>${prose.paragraph(4)}</p>
<h2>Habits</h2><p>${prose.paragraph(5)}</p>
<h2>In the same place</h2><p>${link(species.habitat, `/habitats/${slug(species.habitat)}`)} is also home to:</p>
${list(near.map((other) => link(other.name, other.path)))}
<p>Elsewhere: ${link('a web of this kind, ready to hang', `${origins.shop}/catalogue`)}.
${link('Next species', SPECIES[(index + 1) % SPECIES.length]!.path)}</p>`,
    };
  });
}

function addGenera(site: SiteBuilder): void {
  for (const genus of GENERA) {
    site.page(`/genera/${slug(genus)}`, () => ({
      title: `Genus ${genus}`,
      description: `The weavers of the genus ${genus}.`,
      body: html`<p>${new Prose(genus).paragraph()}</p>${cards(SPECIES.filter((species) => species.genus === genus))}`,
    }));
  }
}

function addHabitats(site: SiteBuilder): void {
  site.page('/habitats/', () => ({
    title: 'Where to look',
    description: 'Eight places in which webs hang.',
    body: list(HABITATS.map((habitat) => link(habitat, `/habitats/${slug(habitat)}`))),
  }));
  for (const habitat of HABITATS) {
    site.page(`/habitats/${slug(habitat)}`, () => ({
      title: habitat,
      description: `Orb-weavers of the ${habitat.toLowerCase()}.`,
      body: html`<p>${new Prose(habitat).paragraph(6)}</p>${cards(SPECIES.filter((species) => species.habitat === habitat))}`,
    }));
  }
}
