/**
 * The frame around the content of nearly every page: head, menu, advertisements, forms and
 * footer, with content and noise side by side.
 */

import { capital, sentence, slug, thing } from './made-words.ts';
import {
  advertisement,
  age,
  challenge,
  counter,
  footNoise,
  forms,
  generatedIds,
  headNoise,
  scriptState,
  veiledEmail,
} from './noise-parts.ts';
import type { PageMaker } from './page-maker.ts';

/** Classes that contain the letters of an advertisement class but are not advertisements. */
const LOOKALIKES = [
  'header',
  'shadow',
  'download',
  'load-more',
  'breadcrumb',
  'address',
  'badge',
  'adjacent',
  'gradient',
  'heading',
  'leader',
  'padding',
  'readable',
  'thread',
  'no-ads',
  'has-ads',
  'banner',
  'promo',
  'adaptive',
];

export function layout(m: PageMaker, heading: string, ...content: readonly string[]): string {
  const parts = [...content];
  // Noise can be anywhere in the content.
  for (const noise of [advertisement(m), counter(m), age(m), generatedIds(m), advertisement(m)]) {
    parts.splice(m.number(0, parts.length), 0, `<div>${noise}</div>`);
  }
  const request = m.drawn('request-id').uuid();
  return m.finish(
    m.lines(
      '<!DOCTYPE html>',
      '<html lang="en">',
      m.lines(
        '<head>',
        '<meta charset="utf-8">',
        `<title>${m.slot('title', heading)}</title>`,
        `<meta name="description" content="${m.slot('description', sentence(m))}">`,
        ...headNoise(m),
        '</head>',
      ),
      `<body${m.isChosen(0.5) ? ` data-request-id="${request}"` : ''}>`,
      menu(m),
      m.tag('main', { class: 'content wide page', id: 'main', lang: 'en' }),
      `<h1>${m.slot('heading', heading)}</h1>`,
      ...parts,
      lookalike(m),
      '</main>',
      forms(m),
      `<p>Write to ${veiledEmail(m, m.slot('email', `office@${slug(m)}.example`))}</p>`,
      footNoise(m, m.slot('holder', `${thing(m).split(' ').map(capital).join(' of ')} Ltd`)),
      scriptState(m),
      challenge(m),
      '</body>',
      '</html>',
    ),
  );
}

function menu(m: PageMaker): string {
  const links = Array.from(
    { length: 4 },
    () => `<li><a href="${m.slot('link', `/${slug(m)}/`)}">${m.slot('label', thing(m))}</a></li>`,
  );
  return m.lines('<nav>', m.tag('ul', { class: 'menu top-level nav', role: 'menubar' }), ...links, '</ul>', '</nav>');
}

function lookalike(m: PageMaker): string {
  return `<div class="${m.pick(LOOKALIKES)}"><p>${m.slot('lookalike', sentence(m))}</p></div>`;
}
