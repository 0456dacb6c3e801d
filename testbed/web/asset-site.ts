/**
 * A static site whose pages need many kinds of files: style sheets that import others, fonts, image sets, modules,
 * media, frames, a manifest. Mount it with `web.on('/*', serveAssetSite)`.
 *
 * What always holds: every reference on the site leads to a file that exists, so each request of a browser succeeds.
 */
import type { Behaviour } from './local-web.ts';
import { pngOf } from './picture-files.ts';

const HEAD = '<!doctype html><meta charset=utf-8>';

const FRONT = `${HEAD}<title>Assets</title>
<link rel=stylesheet href=/css/main.css>
<link rel=stylesheet href="/css/wide.css" media="(min-width: 1px)">
<link rel="alternate stylesheet" title=other href=/css/other.css>
<link rel=icon href=/img/icon.png><link rel=apple-touch-icon href=/img/touch.png>
<link rel=manifest href=/app.webmanifest>
<link rel=preload as=font type=font/woff2 crossorigin href=/font/preloaded.woff2>
<link rel=preload as=image href=/img/small.png imagesrcset="/img/preload-1.png 1x, /img/preload-2.png 2x">
<link rel=modulepreload href=/js/preloaded.js>
<style>@import "/css/inline-import.css"; .inline { background: url(/img/inline.png) }</style>
<script type=importmap>{"imports": {"named": "/js/named.js", "folder/": "/js/folder/"}}</script>
<script src=/js/classic.js defer></script>
<script type=module src=/js/main.js></script>
<script type=module>import { value } from '/js/from-inline.js'; document.title += value;</script>
<h1 class="font inline">Assets</h1>
<p class=hero>Text in the font of the site</p><p class=set>An image set</p><ul><li class=bullet>bullet</ul>
<img src=/img/plain.png alt="plain">
<img src=/img/fallback.png srcset="/img/w320.png 320w, /img/w640.png 640w, /img/w1280.png 1280w" sizes="100vw" alt=set>
<picture><source type=image/png srcset="/img/art-1.png 1x, /img/art-2.png 2x"><img src=/img/art.png alt=art></picture>
<video poster=/img/poster.png preload=metadata width=40><source src=/media/clip.webm type=video/webm>
<track src=/media/clip.vtt kind=captions default></video>
<audio src=/media/sound.wav preload=auto></audio>
<object data=/img/object.svg type=image/svg+xml></object><embed src=/img/embed.svg>
<svg width=10 height=10><use href="/img/sprite.svg#one"></use><image href="/img/in-svg.png" width=5 height=5></image></svg>
<iframe src=/frame/ title=frame></iframe>
<input type=image src=/img/button.png alt=go>
<table background=/img/table.png><tr><td>old<td style="background-image: url('/img/styled.png')">styled</table>
<p><a href=/sub/page.html>below</a> <a href=/print.html>print</a></p>`;

const BELOW = `${HEAD}<title>Below</title><base href=/sub/deep/><link rel=stylesheet href=style.css>
<h1>Below</h1><img src=../near.png alt=near><script src=script.js></script><a href=/>up</a>`;

const PRINT = `${HEAD}<title>Print</title><link rel=stylesheet href=/css/print.css media=print><h1>Print</h1><a href=/>up</a>`;
const FRAME = `${HEAD}<title>Frame</title><link rel=stylesheet href=frame.css><p>in a frame <img src=inside.png alt=inside>`;

const TEXTS: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/': ['text/html', FRONT],
  '/sub/page.html': ['text/html', BELOW],
  '/print.html': ['text/html', PRINT],
  '/frame/': ['text/html', FRAME],
  '/css/main.css': [
    'text/css',
    `@import url("imported.css"); @import 'layered.css' layer(base); @import url(screen.css) screen and (min-width: 1px);
@font-face { font-family: Own; src: url(../font/own.woff2) format("woff2"), url(../font/own.woff) format("woff") }
.font, .hero { font-family: Own, serif } .hero { background: url("../img/hero.png") no-repeat }
.set { background-image: image-set("../img/set-1.png" 1x, "../img/set-2.png" 2x) }
.bullet { list-style-image: url(../img/bullet.png) } h1::before { content: url(../img/before.png) }
@media (min-width: 1px) { body { background-image: url('../img/body.png') } }`,
  ],
  '/css/imported.css': ['text/css', '@import "twice.css"; p { border-image: url(../img/border.png) 1 }'],
  '/css/twice.css': ['text/css', 'p { cursor: url(../img/cursor.png), auto; background: url(../img/twice.png) }'],
  '/css/layered.css': ['text/css', 'h1 { background: url(../img/layered.png) }'],
  '/css/screen.css': ['text/css', 'html { background: url(../img/screen.png) }'],
  '/css/inline-import.css': ['text/css', 'ul { background: url(/img/list.png) }'],
  '/css/wide.css': ['text/css', 'a { background: url(/img/wide.png) }'],
  '/css/other.css': ['text/css', 'a { color: red }'],
  '/css/print.css': ['text/css', 'a { color: black }'],
  '/frame/frame.css': ['text/css', 'p { background: url(framed.png) }'],
  '/sub/deep/style.css': ['text/css', 'h1 { background: url(img/deep.png) }'],
  '/sub/deep/script.js': ['text/javascript', 'document.title += " script";'],
  '/js/classic.js': ['text/javascript', 'document.documentElement.dataset.classic = "yes";'],
  '/js/main.js': [
    'text/javascript',
    `import { a } from './a.js'; import 'named'; import * as all from "folder/in.js"; export * from './exported.js';
const { lazy } = await import('./lazy.js'); document.title += a + lazy + all.inside;`,
  ],
  '/js/a.js': ['text/javascript', `import { b } from './deep/b.js'; export const a = b;`],
  '/js/deep/b.js': ['text/javascript', `export { c as b } from '../c.js';`],
  '/js/c.js': ['text/javascript', `export const c = ' module';`],
  '/js/named.js': ['text/javascript', 'export default 1;'],
  '/js/folder/in.js': ['text/javascript', `export const inside = '';`],
  '/js/exported.js': ['text/javascript', 'export const exported = 1;'],
  '/js/lazy.js': ['text/javascript', `export const lazy = ' lazy';`],
  '/js/preloaded.js': ['text/javascript', 'export const preloaded = 1;'],
  '/js/from-inline.js': ['text/javascript', `export const value = ' inline';`],
  '/app.webmanifest': [
    'application/manifest+json',
    '{"name": "Assets", "start_url": "/", "icons": [{"src": "/img/app.png", "sizes": "192x192", "type": "image/png"}]}',
  ],
  '/img/object.svg': [
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="nested.png"/></svg>',
  ],
  '/img/embed.svg': ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
  '/img/sprite.svg': [
    'image/svg+xml',
    '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="one"><path d="M0 0h9v9"/></symbol></svg>',
  ],
  '/media/clip.vtt': ['text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n'],
};

/** Browsers request these files, whatever is in them. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.webm': 'video/webm',
  '.wav': 'audio/wav',
};

export const serveAssetSite: Behaviour = ({ path, response }) => {
  const name = path.split('?', 1)[0]!;
  const [type, text] = TEXTS[name] ?? [];
  if (type !== undefined) return void response.writeHead(200, { 'content-type': type }).end(text);
  const ending = name.slice(name.lastIndexOf('.'));
  if (ending === '.png')
    return void response
      .writeHead(200, { 'content-type': 'image/png' })
      .end(pngOf(8, 8, (x, y) => (x * y * name.length) % 256));
  const other = OTHER_TYPES[ending];
  if (other === undefined) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('no such file');
  response.writeHead(200, { 'content-type': other }).end(Buffer.from(`bytes of ${name}`));
};
