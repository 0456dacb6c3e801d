/**
 * The unusual pages of the gazette: letters in other encodings, and pages that
 * have moved, are gone, are slow or are busy.
 */
import { busyAtFirst, encoded, redirect, redirectLoop, slow } from './behaviours.ts';
import { html, link, list } from './html.ts';
import { layout } from './layout.ts';
import { Prose } from './prose.ts';
import type { Answer, SiteBuilder } from './site.ts';

const SLOW_MS = 300;

export function addLetters(site: SiteBuilder): void {
  site.page('/letters/', () => ({
    title: 'Letters',
    description: 'From our readers abroad.',
    robots: 'noindex',
    body: html`<p>Readers’ opinions are their own, and not for search engines.</p>${list([
      link('A letter from Québec', '/letters/quebec'),
      link('A letter from Kyōto', '/letters/kyoto'),
    ])}`,
  }));
  const quebec = layout(site.face, {
    path: '/letters/quebec',
    title: 'Une lettre de Québec',
    description: 'Des araignées à la fenêtre, en été.',
    language: 'fr',
    charset: 'iso-8859-1',
    body: html`<p>Chère rédaction, l'araignée de ma fenêtre défait sa toile à l'aube et la retisse au crépuscule. Où
trouve-t-elle le temps ? Les fils brillent comme de la rosée gelée.</p><p>${link('Retour', '/letters/')}</p>`,
  });
  const kyoto = layout(site.face, {
    path: '/letters/kyoto',
    title: '京都からの手紙',
    description: '庭の蜘蛛について',
    language: 'ja',
    charset: 'shift_jis',
    body: html`<p>毎朝、庭の門に新しい網がかかっています。露が光って、とてもきれいです。</p><p>${link('戻る', '/letters/')}</p>`,
  });
  // Middle dot, dash and curly quotes are not in ISO 8859-1. As character references they work in any encoding.
  const inLatin1 = encoded(asciiPunctuation(quebec.text), 'iso-8859-1', true);
  const inShiftJis = encoded(asciiPunctuation(kyoto.text), 'shift_jis', false);
  site.answer('/letters/quebec', () => inLatin1);
  site.answer('/letters/kyoto', () => inShiftJis);
}

function asciiPunctuation(page: string): string {
  return page.replace(/[·–’]/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function addOddities(site: SiteBuilder): void {
  const plain = (path: string, title: string): (() => Answer) => {
    const body = html`<p>${new Prose(path).paragraph(4)}</p>`;
    return () => site.render({ path, title, description: title, body });
  };
  site.answer('/yesterday', redirect('/'));
  for (const [path, responder] of redirectLoop('/circle/one', '/circle/two')) site.answer(path, responder);
  site.answer('/retracted', () => ({ ...plain('/retracted', 'Taken back')(), status: 410 }));
  site.answer('/slow-news', slow(plain('/slow-news', 'A story that took its time'), SLOW_MS));
  site.answer('/weather', busyAtFirst(plain('/weather', 'Dew point'), 1));
  site.answer('/editors/desk', plain('/editors/desk', 'The editors’ desk'));
  site.answer('/advertise', plain('/advertise', 'Advertise here'));
}
