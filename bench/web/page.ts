/**
 * One page of the local web. In: a plan and a page number. Out: its HTML.
 *
 * The page costs as much as real pages: a head full of metadata, inline style and script, comments,
 * navigation, paragraphs, lists, a table, images, entities, and 60 links. It contains no traps: no markup
 * inside scripts or comments that a simpler parser would take for a link. Traps would measure the errors of
 * the parsers and not their speed.
 */

import { type Random, randomBelow } from '../../testbed/random.ts';
import type { WebPlan } from './plan.ts';

export const TARGET_PAGE_CHARS = 35_500;
export const IMAGES_A_HOST = 20;
const PARAGRAPHS_A_LINK = 1;

export function renderPage(plan: WebPlan, page: number): string {
  const random = plan.randomOf(page);
  const { words } = plan;
  const links = plan.links(page);
  const title = words.title(random);
  const parts = [
    renderHead(plan, page, title, random),
    '<body class="page article">\n',
    renderNavigation(plan, links.navigation),
  ];
  parts.push(
    `<main id="content">\n<h1>${title}</h1>\n<p class="byline">${words.title(random)} &mdash; ${1 + (page % 28)} May 2026</p>\n`,
  );

  const tail = renderTail(plan, links.far, random);
  let length = parts.reduce((sum, part) => sum + part.length, 0) + tail.length;
  let nextLink = 0;
  // Links are spread over the text. When all links are used, plain paragraphs fill the page to its size.
  while (length < TARGET_PAGE_CHARS || nextLink < links.near.length) {
    const block =
      nextLink < links.near.length
        ? renderLinkedBlock(plan, links.near[nextLink++]!, nextLink, random)
        : renderParagraph(plan, random);
    parts.push(block);
    length += block.length;
  }
  parts.push(tail);
  return parts.join('');
}

function renderHead(plan: WebPlan, page: number, title: string, random: Random): string {
  const { words } = plan;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${words.sentence(random)}">
<meta name="keywords" content="${words.pick(random)}, ${words.pick(random)}, ${words.pick(random)}">
<meta property="og:title" content="${title}">
<meta property="og:type" content="article">
<link rel="canonical" href="${plan.url(page)}">
<style>
:root { --ink: #222; --paper: #fff; }
body { margin: 0; font: 16px/1.5 serif; color: var(--ink); background: var(--paper); }
nav ul { display: flex; flex-wrap: wrap; list-style: none; padding: 0 }
main > p { max-width: 40em }
.byline { color: #666; font-size: 90% }
</style>
<script>
window.pageData = { "id": ${page}, "section": "${words.pick(random)}", "visits": ${randomBelow(random, 1e6)}, "tags": ["${words.pick(random)}", "${words.pick(random)}"] };
(function (data) { var seen = {}; for (var i = 0; i < data.tags.length && i !== 9; i++) { seen[data.tags[i]] = i * 2; } data.seen = seen; })(window.pageData);
</script>
</head>
`;
}

function renderNavigation(plan: WebPlan, hrefs: readonly string[]): string {
  const items = hrefs.map(
    (href) => `<li class="item"><a href="${href}" class="nav-link">${labelOf(plan, href)}</a></li>`,
  );
  return `<!-- navigation: the same on every page of the host -->\n<nav aria-label="main"><ul>\n${items.join('\n')}\n</ul></nav>\n`;
}

function labelOf(plan: WebPlan, href: string): string {
  const name = href
    .slice(href.lastIndexOf('/') + 1)
    .replace('.html', '')
    .replaceAll('-', ' ');
  return name === '' ? `Home of ${plan.words.title(plan.randomOf(0))}` : name;
}

function renderLinkedBlock(plan: WebPlan, href: string, position: number, random: Random): string {
  const { words } = plan;
  const link = `<a href="${href}" title="${words.pick(random)} &amp; ${words.pick(random)}">${words.pick(random)} ${words.pick(random)}</a>`;
  if (position % 6 === 0) {
    const items = Array.from({ length: 5 }, () => `<li>${words.sentence(random)}</li>`);
    return `<h2 id="part-${position}">${words.title(random)}</h2>\n<ul class="notes">\n<li>${link}</li>\n${items.join('\n')}\n</ul>\n`;
  }
  if (position % 10 === 1) {
    const image = randomBelow(random, IMAGES_A_HOST);
    return `<figure><img src="/images/${image}.gif" alt="${words.title(random)}" width="320" height="200"><figcaption>${link} ${words.sentence(random)}</figcaption></figure>\n`;
  }
  let block = `<p>${words.sentence(random)} ${link} ${words.sentence(random)}</p>\n`;
  for (let count = 0; count < PARAGRAPHS_A_LINK; count++) block += renderParagraph(plan, random);
  return block;
}

function renderParagraph(plan: WebPlan, random: Random): string {
  const { words } = plan;
  let text = words.sentence(random);
  const sentences = 2 + randomBelow(random, 4);
  for (let count = 0; count < sentences; count++) text += ` ${words.sentence(random)}`;
  const styled =
    randomBelow(random, 3) === 0 ? ` <em>${words.pick(random)}</em> &amp; <b>${words.pick(random)}</b>&nbsp;` : ' ';
  return `<p class="body">${text}${styled}${words.sentence(random)}</p>\n`;
}

function renderTail(plan: WebPlan, urls: readonly string[], random: Random): string {
  const { words } = plan;
  const rows = Array.from(
    { length: 8 },
    () => `<tr><td>${words.pick(random)}</td><td>${randomBelow(random, 10_000)}</td></tr>`,
  );
  const items = urls.map((url) => `<li><a href="${url}">${words.title(random)}</a></li>`);
  return `<table class="figures"><tbody>\n${rows.join('\n')}\n</tbody></table>
</main>
<!-- see also -->
<aside><ul>
${items.join('\n')}
</ul></aside>
<footer><p>&copy; 2026 ${words.title(random)}</p></footer>
</body>
</html>
`;
}
