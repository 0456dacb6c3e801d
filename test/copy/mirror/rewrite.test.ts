/** Tests how pages and style sheets are rewritten for a mirror. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReferenceCounts } from '../../../src/copy/files/file-form.ts';
import { rewriteBody } from '../../../src/copy/mirror/rewrite/rewrite-body.ts';
import { UrlNormalizer } from '../../../src/url/normalize.ts';

const FILES: Readonly<Record<string, string>> = {
  'http://a.test/': 'a.test/index.html',
  'http://a.test/dir/page': 'a.test/dir/page.html',
  'http://a.test/x.png': 'a.test/x.png',
  'http://a.test/y.png?v=2': 'a.test/y-12345678.png',
  'http://a.test/main.css': 'a.test/main.css',
  'http://a.test/font.woff2': 'a.test/font.woff2',
  'http://a.test/app.js': 'a.test/app.js',
  'http://b.test/': 'b.test/index.html',
};
const SOURCES = { normalizer: new UrlNormalizer(), pathOf: (url: string) => FILES[url] ?? null };

function rewrite(body: string | Buffer, type = 'text/html', contentType = `${type}; charset=utf-8`, url?: string) {
  const counts = new ReferenceCounts();
  const given = { body: Buffer.from(body as string), type, contentType };
  const file = { ...given, url: url ?? 'http://a.test/dir/page', path: 'a.test/dir/page.html' };
  const bytes = rewriteBody(file, { ...SOURCES, counts });
  return { bytes, text: bytes.toString(), counts };
}

/** The page without the policy and the charset that every page gets. */
function page(html: string): string {
  return rewrite(`<head></head>${html}`).text.replace(/<head>.*?<\/head>/, '');
}

test('links lead to files, keep their fragments, and become absolute if the mirror does not have the page', () => {
  const cases = {
    '<a href="/">': '<a href="../index.html">',
    '<a href=/#top>': '<a href="../index.html#top">',
    '<a href="page#a&amp;b">': '<a href="page.html#a&amp;b">',
    "<a href='//b.test'>": '<a href="../../b.test/index.html">',
    '<a href="#here">': '<a href="#here">',
    '<a href="mailto:x@a.test">': '<a href="mailto:x@a.test">',
    '<a href="missing?x=1&amp;y=2">': '<a href="http://a.test/dir/missing?x=1&amp;y=2">',
    '<a href="https://c.test/x">': '<a href="https://c.test/x">',
    '<area href="/x.png">': '<area href="../x.png">',
    '<form action="/">': '<form action="../index.html">',
    '<form action="/post">': '<form action="http://a.test/post">',
    '<link rel=canonical href="/dir/page">': '<link rel=canonical href="http://a.test/dir/page">',
    '<svg><a xlink:href="/"></a></svg>': '<svg><a xlink:href="../index.html"></a></svg>',
    '<meta http-equiv=refresh content="3;URL=/">': '<meta http-equiv=refresh content="3; url=../index.html">',
  };
  for (const [html, right] of Object.entries(cases)) assert.equal(page(html), right);
});

test('embedded files become relative, and those that the mirror does not have are not requested', () => {
  const cases = {
    '<img src=/x.png>': '<img src="../x.png">',
    '<img src="/no.png">': '<img data-orbweaver-src="http://a.test/no.png">',
    '<img srcset="/x.png 1x, /no.png 2x, /y.png?v=2 3x">': '<img srcset="../x.png 1x, ../y-12345678.png 3x">',
    '<img srcset="/no.png 2x">': '<img data-orbweaver-srcset="/no.png 2x">',
    '<link rel=preload imagesrcset="/x.png 2x">': '<link rel=preload imagesrcset="../x.png 2x">',
    '<video poster=/x.png></video>': '<video poster="../x.png"></video>',
    '<object data="x.png" codebase="/"></object>': '<object data="../x.png" data-orbweaver-codebase="/"></object>',
    '<table background=/x.png>': '<table background="../x.png">',
    '<iframe src="https://ads.test/"></iframe>': '<iframe data-orbweaver-src="https://ads.test/"></iframe>',
    '<script src=/app.js integrity=sha256-x crossorigin></script>':
      '<script src="../app.js" data-orbweaver-integrity=sha256-x data-orbweaver-crossorigin></script>',
    '<link rel=preconnect href=https://c.test>': '<link rel=preconnect data-orbweaver-href="https://c.test/">',
    '<svg><use xlink:href="/x.png#a"/></svg>': '<svg><use xlink:href="../x.png#a"/></svg>',
    '<p style="background:url(/x.png)">': '<p style="background:url(&#34;../x.png&#34;)">',
    '<style>@import "/main.css";a{b:url(/no.png)}</style>':
      '<style>@import "../main.css";a{b:url("data:,#http://a.test/no.png")}</style>',
    '<noscript><img src=/no.png></noscript>': '<noscript><img data-orbweaver-src="http://a.test/no.png"></noscript>',
    '<iframe srcdoc="&lt;img src=/x.png>"></iframe>': '<iframe srcdoc="&#60;img src=&#34;../x.png&#34;&#62;"></iframe>',
    '<a href=/ ping=/p>': '<a href="../index.html" data-orbweaver-ping=/p>',
    '<meta http-equiv=refresh content="0;url=https://c.test/">':
      '<meta data-orbweaver-http-equiv=refresh content="0;url=https://c.test/">',
    '<meta http-equiv=Content-Security-Policy content="default-src self">':
      '<meta data-orbweaver-http-equiv=Content-Security-Policy content="default-src self">',
    '<script type=speculationrules>{}</script>': '<script type="text/x-orbweaver-inert">{}</script>',
    '<img data-src=/x.png>': '<img data-src="../x.png">',
    '<img data-src=/no.png>': '<img data-src=/no.png>',
    '<!-- <img src=/x.png> --><script>"<img src=/x.png>"</script>':
      '<!-- <img src=/x.png> --><script>"<img src=/x.png>"</script>',
  };
  for (const [html, right] of Object.entries(cases)) assert.equal(page(html), right);
});

test('a base is taken out after it was used', () => {
  const { text } = rewrite('<head><base href="/sub/"></head><a href="../dir/page">x</a><a href="#y">y</a>');
  assert.match(text, /<base data-orbweaver-href="\/sub\/">/);
  assert.match(text, /<a href="page\.html">x<\/a><a href="http:\/\/a\.test\/sub\/#y">/);
});

test('the policy comes after the head tag, else after the html tag or the doctype', () => {
  assert.match(
    rewrite('<!doctype html><html lang=en><head><title>x').text,
    /^<!doctype html><html lang=en><head><meta/,
  );
  assert.match(rewrite('<!doctype html><title>x').text, /^<!doctype html><meta/);
  assert.match(rewrite('text').text, /^<meta/);
});

test('the charset of the header is declared in the page, and all other bytes stay', () => {
  const body = Buffer.from('<head></head><p>caf\xe9 <a href="/?\xe9">\xe9</a>', 'latin1');
  const { bytes } = rewrite(body, 'text/html', 'text/html; charset=iso-8859-1');
  const text = bytes.toString('latin1');
  assert.match(text, /^<head><meta charset="windows-1252"\/>/);
  assert.ok(text.endsWith('<p>caf\xe9 <a href="http://a.test/?%E9">\xe9</a>'));
  assert.doesNotMatch(rewrite('<head><meta charset=utf-8></head>é').text, /<meta charset="/);
});

test('UTF-16 becomes UTF-8 with a byte order mark', () => {
  const { text } = rewrite(Buffer.from('\ufeff<head></head><a href="/">é</a>', 'utf16le'), 'text/html', 'text/html');
  assert.ok(text.startsWith('\ufeff<head>') && text.endsWith('<a href="../index.html">é</a>'));
});

test('style sheets lead to files from their own place', () => {
  const css =
    '@import url(main.css) screen; @font-face{src:url("font.woff2")} a{b:url( x.png )} c{d:url(#e);f:url(data:,x)}';
  const { text, counts } = rewrite(css, 'text/css', 'text/css', 'http://a.test/y.css');
  assert.equal(
    text,
    '@import url("../main.css") screen; @font-face{src:url("../font.woff2")} a{b:url( "../x.png" )} c{d:url(#e);f:url(data:,x)}',
  );
  assert.deepEqual([counts.rewritten, counts.leftOut], [3, 0]);
});

test('scripts in an SVG file do not run, because it has no place for a policy', () => {
  const { text } = rewrite('<svg onload="x()"><script>y()</script><image href="/no.png"/></svg>', 'image/svg+xml');
  assert.equal(
    text,
    '<svg data-orbweaver-onload="x()"><script type="text/x-orbweaver-inert">y()</script><image data-orbweaver-href="http://a.test/no.png"/></svg>',
  );
});

test('hostile pages take linear time', () => {
  const startMs = performance.now();
  for (const part of [
    '<',
    '<a ',
    '<a href="',
    '<!--',
    '<style>',
    '<script><!--<script>',
    '<noscript>',
    '<svg>',
    'url(',
  ]) {
    rewrite(part.repeat(200_000 / part.length));
    rewrite(part.repeat(200_000 / part.length), 'text/css');
  }
  rewrite(`<img srcset="${'/x.png 1x,'.repeat(20_000)}">`);
  assert.ok(performance.now() - startMs < 5_000);
});
