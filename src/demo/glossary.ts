/** The guide's words, one page each. */
import { html, link } from './html.ts';
import { Prose, slug } from './prose.ts';
import type { SiteBuilder } from './site.ts';

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

export function addGlossary(site: SiteBuilder): void {
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
