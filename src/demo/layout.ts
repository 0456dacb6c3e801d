/** The layout of all pages of the demo web: head, navigation, one small stylesheet, footer. */
import { Html, html, jsonScript, link } from './html.ts';

export interface SiteFace {
  readonly origin: string;
  readonly name: string;
  readonly motto: string;
  /** Two CSS colours: for lines and links, and for the background. */
  readonly ink: string;
  readonly paper: string;
  readonly navigation: readonly (readonly [label: string, href: string])[];
  readonly neighbours: readonly (readonly [label: string, href: string])[];
  readonly feed?: string;
}

export interface PageFace {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly body: Html;
  readonly language?: string;
  /** The page of which this page is a copy. Default: the page itself. */
  readonly canonical?: string;
  readonly alternates?: readonly (readonly [language: string, href: string])[];
  readonly robots?: string;
  readonly previous?: string;
  readonly next?: string;
  readonly structured?: unknown;
  readonly charset?: string;
}

const STYLE = new Html(`
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:#2b2a28;font:17px/1.6 Georgia,'Iowan Old Style',serif}
header,main,footer{max-width:54rem;margin:0 auto;padding:1rem 1.5rem}
header{display:flex;gap:1rem;align-items:center;flex-wrap:wrap;border-bottom:2px solid var(--ink)}
header svg{width:3.2rem;height:3.2rem;stroke:var(--ink);fill:none;stroke-width:.9}
header b{font-size:1.4rem;display:block;line-height:1.2}
header i{color:#6b675f}
nav{margin-left:auto;display:flex;gap:1rem;flex-wrap:wrap}
a{color:var(--ink);text-decoration-thickness:1px;text-underline-offset:3px}
a:hover{text-decoration-thickness:2px}
h1{font-size:2.1rem;line-height:1.15;margin:1.4rem 0 .6rem}
h2{font-size:1.25rem;margin:1.8rem 0 .4rem}
table{border-collapse:collapse;width:100%;margin:1rem 0;font-size:.95rem}
th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #0002}
th{color:#6b675f;font-weight:600}
ul{padding-left:1.2rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:1rem;padding:0;list-style:none}
.cards li{background:#fff8;border:1px solid #0002;border-radius:.6rem;padding:.8rem 1rem}
.plate{float:right;margin:0 0 1rem 1.5rem;border-radius:.6rem;border:1px solid #0002;image-rendering:pixelated}
.lead{font-size:1.1rem;color:#4d4a44}
footer{border-top:1px solid #0002;margin-top:3rem;color:#6b675f;font-size:.9rem}
`);

/** An orb web: six lines through the centre and three rings. */
const LOGO = new Html(
  '<svg viewBox="-16 -16 32 32" aria-hidden="true">' +
    [0, 30, 60, 90, 120, 150].map((turn) => `<path d="M-15 0H15" transform="rotate(${turn})"/>`).join('') +
    [5, 9, 13].map((radius) => `<polygon points="${ring(radius)}"/>`).join('') +
    '</svg>',
);

function ring(radius: number): string {
  return Array.from({ length: 12 }, (_, i) => {
    const angle = (i * Math.PI) / 6;
    return `${(radius * Math.cos(angle)).toFixed(1)},${(radius * Math.sin(angle)).toFixed(1)}`;
  }).join(' ');
}

export function layout(site: SiteFace, page: PageFace): Html {
  const { language = 'en', charset = 'utf-8', canonical = page.path, alternates = [] } = page;
  const head = [
    html`<meta name="description" content="${page.description}">`,
    html`<link rel="canonical" href="${site.origin}${canonical}">`,
    ...alternates.map(([lang, href]) => html`<link rel="alternate" hreflang="${lang}" href="${site.origin}${href}">`),
    ...(page.robots ? [html`<meta name="robots" content="${page.robots}">`] : []),
    ...(page.previous ? [html`<link rel="prev" href="${page.previous}">`] : []),
    ...(page.next ? [html`<link rel="next" href="${page.next}">`] : []),
    ...(site.feed
      ? [html`<link rel="alternate" type="application/atom+xml" title="${site.name}" href="${site.feed}">`]
      : []),
    ...(page.structured ? [jsonScript(page.structured)] : []),
  ];
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="${charset}">
<title>${page.title} · ${site.name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
${head.map((line) => html`${line}\n`)}<link rel="icon" href="data:,">
<style>:root{--ink:${site.ink};--paper:${site.paper}}${STYLE}</style>
</head>
<body>
<header>${LOGO}<div><b>${site.name}</b><i>${site.motto}</i></div>
<nav>${site.navigation.map(([label, href]) => html`${link(label, href)}\n`)}</nav></header>
<main>
<h1>${page.title}</h1>
${page.body}
</main>
<footer><p>Our neighbours: ${site.neighbours.map(([label, href]) => html`${link(label, href)} `)}</p>
<p>This is the demo web of Orbweaver, served on your own machine. Its spiders, wares and news are made up.</p></footer>
</body>
</html>
`;
}
