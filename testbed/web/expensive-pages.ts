/**
 * Pages that are designed to be expensive. Each page is a rule for a body of a given size. `step` grows by
 * one with every repeated part, so that parts can differ. `version` differs at each visit, so that every
 * visit finds a change and has to describe it.
 */

export interface HostilePage {
  readonly name: string;
  readonly type: string;
  /** Beginning and end of the page. */
  readonly head: string;
  readonly tail: string;
  /** One of the many parts between the beginning and the end. */
  readonly part: (step: number, version: number) => string;
}

const HTML = 'text/html; charset=utf-8';

function html(
  name: string,
  part: HostilePage['part'],
  head = '<!doctype html><title>t</title>',
  tail = '',
): HostilePage {
  return { name, type: HTML, head, tail, part };
}

/** Repeats a text until it fills the given number of characters. */
function filled(chars: number, text: string): string {
  return text.repeat(Math.ceil(chars / text.length));
}

const LONG = 4_000;

export const KNOWN_PAGES: readonly HostilePage[] = [
  // Weaknesses that were found by reviewers outside the project.
  html('version-urls', (step, version) => `<script src="/a?v=${filled(LONG, '0-')}%${step}.${version}"></script>`),
  html('script-type-spaces', (step, version) => `<script type="${' '.repeat(20_000)}x${version}">${step}</script>`),
  html('one-script-type', (_, version) => ' '.repeat(1_000) + version, '<script type="', 'x">1</script>'),
  // URLs with everything that noise rules look for.
  html(
    'hash-urls',
    (step, version) => `<script src="/static/${filled(LONG, '0123456789abcdef')}${step}${version}.js"></script>`,
  ),
  html(
    'hash-edges',
    (step, version) => `<link rel=stylesheet href="/x/${filled(LONG, 'abcdef0123456789g')}${step}/${version}">`,
  ),
  html(
    'session-urls',
    (step, version) => `<a href="/a;${filled(LONG, 'sid=1234567890123456789a;')}?x=${step}${version}">x</a>`,
  ),
  html('query-urls', (step, version) => `<img src="/p?${filled(LONG, 'cb=1&')}${step}=${version}">`),
  html('segments', (step, version) => `<a href="${filled(LONG, '/(S(abc)')}${step}${version}">x</a>`),
  html('dot-segments', (step, version) => `<a href="${filled(LONG, 'a/../')}${step}${version}">x</a>`),
  html('escaped-urls', (step, version) => `<a href="/${filled(LONG, '%25')}${step}${version}">x</a>`),
  html('cdn-urls', (step, version) => `<a href="${filled(LONG, '/cdn-cgi/')}${step}${version}">x</a>`),
  html(
    'spaces-in-urls',
    (step, version) => `<a href="${' '.repeat(2_000)}http://a/${step}${version}${' '.repeat(2_000)}">x</a>`,
  ),
  html(
    'long-base',
    (step, version) => `<a href="p${step}-${version}">x</a>`,
    `<base href="/${filled(400_000, 'b/')}">`,
  ),
  html('many-bases', (step, version) => `<base href="/${step}/${version}/"><a href="x">x</a>`),
  html('host-labels', (step, version) => `<img src="//${filled(LONG, 'a.')}${step}${version}/">`),
  // Trees.
  html('deep-divs', (step, version) => `<div id="d${step}">${version}`),
  html('deep-formatting', (step, version) => `<b><i><u>${step}${version}`),
  html('misnested', (step, version) => `<b><p><i>${step}</b>${version}</i>`),
  html('deep-then-ends', (step) => (step < 600 ? '<span>' : '</em></li></td></b>')),
  html('lists-in-lists', (step, version) => `<ul><li>${step}<ol><li>${version}`),
  html('tables', (step, version) => `<table><tr><td>${step}<th>${version}`),
  html('table-parts', (step, version) => `<td>${step}<tr><tbody>${version}`, '<table>'),
  html('options', (step, version) => `<option>${step}<optgroup>${version}`, '<select>'),
  html('buttons', (step, version) => `<button><p>${step}${version}`),
  html('headings', (step, version) => `<h1>${step}<h2>${version}`),
  html('ruby', (step, version) => `<ruby>${step}<rt>${version}<rp>`),
  html('svg-in-svg', (step, version) => `<svg><foreignObject><p>${step}<math><mi>${version}`),
  html('svg-breaks', (step, version) => `<svg><g><font color=x>${step}</g><p>${version}`),
  html('templates', (step, version) => `<template><td>${step}${version}`),
  html('many-siblings', (step, version) => `<i>${step % 7 === 0 ? version : 1}</i>`),
  html('late-siblings', (step, version) => `<b>${step > 30_000 ? `${version}${step}` : 1}</b>`),
  html('breaks', (step, version) => `${version}${step}<br>`, `${'<p>x</p>'.repeat(20_000)}<div>`),
  html('forms', (step, version) => `<form action="/${step}"><input type=hidden name=token${step} value=${version}>`),
  html('many-names', (step, version) => `<x${step}-${version}>`),
  html('long-names', (step, version) => `<${filled(20_000, 'x')}${step}${version}>`),
  // Attributes.
  html('many-attributes', (step, version) => ` a${step}=${version}`, '<div', '>x</div>'),
  html('same-attributes', (step, version) => ` id=i${step}${version}`, '<div', '>x</div>'),
  html('tags-of-attributes', (step, version) => `<p ${filled(2_000, `a${step}=1 id=2 `)} b=${version}>x`),
  html('unclosed-value', (step, version) => `<a href="/${step}${version} `),
  html('no-quotes', (step, version) => `<a href=/${step}/${version}'"<>`),
  html('classes', (step, version) => `<p class="${filled(1_900, `c${step} a b `)}${version}">x</p>`),
  html(
    'ids-and-references',
    (step, version) => `<p id="x-${version}a1b2c3d4e5f6a7${step}"><a href="#x-${version}a1b2c3d4e5f6a7${step}">`,
  ),
  html('styles', (step, version) => `<p style="${filled(2_000, 'white-space ')}${step}:${version}">x</p>`),
  html('data-tokens', (step, version) => `<p data-csrf-token="${filled(100, '1a2B')}${step}${version}">x</p>`),
  html(
    'handlers',
    (step, version) => `<a id=i${step} onclick="go('/${step}/${version}')" href="javascript:x(${version})">x</a>`,
  ),
  html('labels', (step, version) => `<p aria-label="${step} views${' '.repeat(120)}· ${version}">x</p>`),
  html('srcset', (step, version) => `/p${step}.jpg?${version} ${step}w(,`, '<img srcset="', '">'),
  html('srcsets', (step, version) => `<img srcset="${filled(2_000, 'a,b ,,')} ${step}.${version}">`),
  html('metas', (step, version) => `<meta name="robots" content="${filled(500, 'noindex, x: ')}${step}${version}">`),
  html(
    'refreshes',
    (step, version) => `<meta http-equiv=refresh content="${filled(1_000, '0')};url=/${step}${version}">`,
  ),
  html(
    'policies',
    (step, version) =>
      `<meta http-equiv=content-security-policy content="${filled(1_000, "'nonce-")}${step}${version}">`,
  ),
  html('relations', (step, version) => `<link rel="${filled(2_000, 'canonical')}" href="/${step}${version}">`),
  // Texts.
  html('small-texts', (step, version) => `${step}<wbr>${version}`),
  html('one-text', (step, version) => `word${step}x${version} `),
  html('one-word', (step, version) => `word${step}x${version}`),
  html('white-space', (_, version) => ` ${' \n\t'.repeat(300)}${version === 1 ? '' : ' '}`, '<p>x', '</p>'),
  html('spaces-before-marks', (step, version) => `<p>${step} views${' '.repeat(140)}| ${version} views</p>`),
  html('ages', (step, version) => `<span>${step % 50} minutes ago · ${version} views</span>`),
  html('years', (step, version) => `<footer>© ${'A '.repeat(200)}Example Ltd Inc ${step}${version} 2026</footer>`),
  html('copyright-signs', (step, version) => `<p>${filled(580, '© 20')}${step}${version}</p>`, '<footer>'),
  html('counters', (step, version) => `<p><b>${step}</b> views <i>${version}</i></p>`),
  html('months', (step, version) => `<div class="promo">${filled(110, 'oct')}${step}${version}</div>`),
  html('references', (step, version) => `&amp;&#${step};&notit;&${version}`),
  html('ampersands', (_, version) => `&&&&&&a${version === 1 ? '' : '&'}`),
  html('long-reference', (step, version) => `&${filled(5_000, 'CounterClockwise')}${step}${version};`),
  html('nul-bytes', (step, version) => `<p a\0b=\0${step}>\0${version}</p>`),
  html('comments', (step, version) => `<!-- ${step} --!>${version}<!-->`),
  html('open-comments', (step, version) => `<!--${step}<!-${version}`),
  html('cdata', (step, version) => `<![CDATA[${step}]]${version}`, '<svg>'),
  html('bogus-comments', (step, version) => `<?${step}><!x${version}></1>`),
  html('unclosed-titles', (step, version) => `<title>${step}<textarea>${version}`),
  html('lone-brackets', (step, version) => `<<<</${step}< /${version}`),
  // Scripts and state.
  html('snippets-in-ads', (step, version) =>
    step % 49 === 48
      ? `<script>gtag('js');${filled(19_000, `"${step}";document .wr ;`)}${version}</script>`
      : '<div class="ad-slot">',
  ),
  html(
    'snippets',
    (step, version) => `<script>gtag('js');${filled(19_000, '//google-analytics.com ')}${step}${version}</script>`,
  ),
  html('script-pairs', (step, version) => `a-b.c-${step}d="token='${version}`, '<script>csrf', '</script>'),
  html(
    'script-tokens',
    (step, version) => `,"csrfToken":"9f86d081884c7d65${step}${version}"`,
    '<script>{"a":1',
    '}</script>',
  ),
  html('script-keys', (_, version) => `A-${version === 1 ? '' : 'B'}`, '<script>token', '</script>'),
  html('script-comments', (step, version) => `<script>${filled(480, '/*')}${step}gtag(${version}</script>`),
  html('script-escapes', (step, version) => `<!--<script>${step}</script>${version}`, '<script>', '</script>'),
  html('script-hosts', (step, version) => `<script>gtag(1);${filled(15_000, '//a.b-')}${step}${version}</script>`),
  html(
    'braces',
    (step, version) => `{"id":${step},"time":[${version}`,
    '<script>{"token":"9f86d081884c7d659a2feaa0c55ad015"',
    '</script>',
  ),
  html(
    'json-ld',
    (step, version) => `{"@type":"Product","name":"${step}","price":${version},`,
    '<script type="application/ld+json">[',
    '</script>',
  ),
  html(
    'listeners',
    (step, version) =>
      `document.getElementById('i${step}').addEventListener('click',function(){location='/${version}'});`,
    '<script>',
    '</script>',
  ),
  html(
    'functions',
    (step, version) => `function f${step}(){f${step + 1}(${version});`,
    '<script>',
    '</script><a onclick="f0()">x</a>',
  ),
  html('parentheses', (_, version) => `((${version === 1 ? '' : '('}`, '<a onclick="', '">x</a>'),
  // Advertisements, selectors and learned regions.
  html('nested-ads', (step, version) => `<div class="ad-slot-${step % 9}"><a href="//doubleclick.net/${version}">`),
  html(
    'ads-with-attributes',
    (step, version) => `<div class=ad>${step % 90 === 0 ? `<p ${filled(5_000, 'title=x ')}>${version}` : ''}`,
  ),
  html('promo-slots', (step, version) => `<div class="promo banner">${step}${version}`),
  html('token-attributes', (step, version) => `<p data-x${step}="${version}a1B2c3D4e5F6g7H8i9J0${step}">x</p>`),
  html('numbered-places', (step, version) => `<p><i>${step}${version}</i> online now</p>`),
  // Other kinds of documents.
  {
    name: 'sitemap',
    type: 'application/xml',
    head: '<urlset>',
    tail: '</urlset>',
    part: (step, version) => `<url><loc>/s${step}</loc><lastmod>2026-01-0${version}T00:00:00Z</lastmod></url>`,
  },
  {
    name: 'sitemap-unclosed',
    type: 'application/xml',
    head: '<urlset>',
    tail: '',
    part: (step, version) => `<url><loc>http://a/${step}<lastmod>${version}`,
  },
  {
    name: 'feed',
    type: 'application/rss+xml',
    head: '<rss><channel>',
    tail: '</channel></rss>',
    part: (step, version) => `<item><link>/f${step}</link><pubDate>Mon, 0${version} Jan 2026</pubDate><title>${step}`,
  },
  {
    name: 'feed-entities',
    type: 'application/atom+xml',
    head: '<!DOCTYPE x [<!ENTITY a "aaaa">]><feed>',
    tail: '</feed>',
    part: (step, version) => `<entry>&a;&a;<link href="/e${step}"/><updated>${version}`,
  },
  {
    name: 'json-feed',
    type: 'application/feed+json',
    head: '{"version":"https://jsonfeed.org/version/1","items":[{}',
    tail: ']}',
    part: (step, version) => `,{"url":"/j${step}","date_modified":"${version}"}`,
  },
  {
    name: 'deep-json',
    type: 'application/json',
    head: '{"version":"https://jsonfeed.org/version/1","items":',
    tail: '',
    part: () => '[[[[',
  },
  { name: 'text', type: 'text/plain', head: '', tail: '', part: (step, version) => `line ${step} ${version}\n` },
  { name: 'text-one-line', type: 'text/plain', head: '', tail: '', part: (step, version) => `a${step}'${version}` },
  {
    name: 'xhtml',
    type: 'application/xhtml+xml',
    head: '<html xmlns="http://www.w3.org/1999/xhtml"><body>',
    tail: '</body></html>',
    part: (step, version) => `<p/><![CDATA[${step}]]><script/>${version}<br/>`,
  },
  {
    name: 'windows-1251',
    type: 'text/html; charset=windows-1251',
    head: '<p>',
    tail: '</p>',
    part: (step, version) => `\u00cf\u00f0${step}<b>\u00e8${version}</b>`,
  },
  {
    name: 'broken-utf-8',
    type: HTML,
    head: '<p>',
    tail: '</p>',
    part: (step, version) => `\u00ff\u00c3${step}\u00e2\u0082<i>${version}`,
  },
  {
    name: 'no-charset',
    type: 'text/html',
    head: '<p>',
    tail: '</p>',
    part: (step, version) => `\u0093\u00fa${step}\u0096{${version}`,
  },
  {
    name: 'iso-2022-jp',
    type: 'text/html',
    head: '<p>',
    tail: '</p>',
    part: (step, version) => `\u001b$B$3${step}\u001b(B${version}`,
  },
];

/** The bytes of a page of about the given size. Each character is one byte, so that broken encodings can be written. */
export function buildPage(page: HostilePage, bytes: number, version: number): Buffer {
  const parts: string[] = [page.head];
  let length = page.head.length + page.tail.length;
  for (let step = 0; length < bytes; step++) {
    const part = page.part(step, version);
    if (part.length === 0) break;
    parts.push(part);
    length += part.length;
  }
  parts.push(page.tail);
  return Buffer.from(parts.join(''), page.type.includes('utf-8') && page.name !== 'broken-utf-8' ? 'utf8' : 'latin1');
}
