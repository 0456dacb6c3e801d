/** The part of the guide that is there in two languages, each page naming the other (hreflang). */
import { html, link, list } from './html.ts';
import type { SiteBuilder } from './site.ts';
import { measures, SPECIES, type Species } from './species.ts';

/** The first so many species. */
export const TRANSLATED = 10;

export function alternatesOf({ path }: Species): (readonly [string, string])[] {
  return [
    ['en', path],
    ['de', `/de${path}`],
    ['x-default', path],
  ];
}

export function addGerman(site: SiteBuilder): void {
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
