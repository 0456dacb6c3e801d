/**
 * A page that tries to reach other hosts in many ways, by markup, by style sheets and by scripts. A mirror of it must
 * reach none of them. Mount it with `web.on('/*', serveReachingSite)`.
 */
import type { Behaviour } from '../../testbed/web/local-web.ts';

const OUT = 'http://outside.invalid';
let number = 0;
/** Each way has a URL of its own. */
function out(): string {
  return `${OUT}/${number++}`;
}

const MARKUP = `<!doctype html><html manifest="${out()}"><head><title>Reaching</title>
<link rel=stylesheet href="${out()}.css"><link rel=icon href="${out()}"><link rel=preload as=image href="${out()}">
<link rel=prefetch href="${out()}"><link rel=modulepreload href="${out()}"><link rel=preconnect href="${OUT}">
<link rel=dns-prefetch href="${OUT}"><link rel=prerender href="${out()}"><link rel=manifest href="${out()}">
<link rel=preload as=image imagesrcset="${out()} 1x"><link rel=stylesheet href=local.css>
<style>@import "${out()}"; @import url(${out()}); body { background: url(${out()}) }
@font-face { font-family: F; src: url("${out()}") } p { font-family: F; list-style: image-set("${out()}" 1x) }</style>
<script src="${out()}"></script><script type=module src="${out()}"></script>
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${out()}"]}]}</script>
<script type=module>import "${out()}";</script></head>
<body background="${out()}"><p style="background: url('${out()}')">text</p>
<img src="${out()}"><img srcset="${out()} 1x, ${out()} 2x"><picture><source srcset="${out()}"><img src="${out()}"></picture>
<video src="${out()}" poster="${out()}" preload=auto><track default src="${out()}"></video><audio src="${out()}"></audio>
<iframe src="${out()}"></iframe><iframe srcdoc="<img src='${out()}'><script>fetch('${out()}')</script>"></iframe>
<object data="${out()}"></object><embed src="${out()}"><input type=image src="${out()}">
<svg><image href="${out()}"/><use xlink:href="${out()}#x"/><feImage href="${out()}"/></svg>
<noscript><img src="${out()}"></noscript><template><img src="${out()}"></template>
<div><template shadowrootmode=open><img src="${out()}"></template></div>
<object data=drawing.svg type=image/svg+xml></object><iframe src=below.html></iframe>
<a href="${out()}" ping="${out()}">a link</a>
<script>
fetch('${out()}').catch(() => {}); new Image().src = '${out()}'; navigator.sendBeacon('${out()}', 'x');
try { const r = new XMLHttpRequest(); r.open('GET', '${out()}'); r.send(); } catch {}
try { new WebSocket('ws://outside.invalid/'); } catch {} try { new EventSource('${out()}'); } catch {}
try { new Worker('${out()}'); } catch {} import('${out()}').catch(() => {});
for (const tag of ['script', 'iframe', 'img', 'video']) { const e = document.createElement(tag); e.src = '${out()}'; document.body.append(e); }
const style = document.createElement('link'); style.rel = 'stylesheet'; style.href = '${out()}'; document.head.append(style);
document.write('<img src="${out()}"><script src="${out()}"><\\/script>');
</script></body></html>`;

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="fetch('${out()}')"><script>fetch('${out()}')</script>
<style>rect { fill: url(${out()}) }</style><image href="${out()}"/><rect width="9" height="9"/></svg>`;

const FILES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  '/': ['text/html', MARKUP],
  '/below.html': ['text/html', `<meta http-equiv=refresh content="0;url=${out()}"><base href="${OUT}/"><img src="x">`],
  '/local.css': ['text/css', `@import "${out()}"; p { background: url(${out()}); cursor: url(${out()}), auto }`],
  '/drawing.svg': ['image/svg+xml', SVG],
};

export const serveReachingSite: Behaviour = ({ path, response }) => {
  const found = FILES[path];
  if (found === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': found[0] }).end(found[1]);
};

/** The number of ways. */
export const WAYS_OUT = number;
