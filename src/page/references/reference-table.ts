/**
 * Where references are written: one row for each element and attribute of HTML, SVG and MathML, current and obsolete,
 * and one row for each other place. docs/references.md and test/page/references/ follow from these rows.
 */
import type { LinkKind } from '../reference-kinds.ts';

/** How an attribute is read. */
export const READS = {
  url: 'a URL',
  urls: 'URLs, separated by spaces or commas',
  srcset: 'URLs with sizes',
  values: 'URLs, separated by semicolons',
  css: 'a style sheet',
  html: 'a document',
  script: 'a script',
} as const;

export type Reads = keyof typeof READS;

export interface AttributeRow {
  /** Element names, separated by spaces. `*` is every element. */
  readonly on: string;
  readonly attributes: string;
  readonly kind: LinkKind;
  readonly reads: Reads;
  /** The row counts only inside this element. */
  readonly inside?: 'svg' | 'math';
}

function row(on: string, attributes: string, kind: LinkKind, reads: Reads = 'url'): AttributeRow {
  return { on, attributes, kind, reads };
}

const LAZY_URLS =
  'data-src data-original data-original-src data-lazy data-lazy-src data-lazyload data-echo data-ll-src data-img-src ' +
  'data-image data-image-src data-img data-thumb data-thumbnail data-full data-full-src data-large data-large-src ' +
  'data-large_image data-big data-zoom data-zoom-image data-hires data-hi-res-src data-high-res-src data-retina ' +
  'data-at2x data-2x data-hover-src data-cfsrc data-pagespeed-lazy-src data-pin-media data-poster data-video-src ' +
  'data-audio-src data-iframe-src data-bg data-bg-src data-bg-image data-background data-background-image ' +
  'data-image-background data-parallax-image data-object-src data-flickity-lazyload data-orig-file ' +
  'data-medium-file data-large-file data-srcs data-swf data-fallback data-fallback-src';

export const ATTRIBUTE_ROWS: readonly AttributeRow[] = [
  row('a', 'href xlink:href', 'a'),
  row('area', 'href', 'area'),
  row('iframe', 'src', 'iframe'),
  row('iframe', 'srcdoc', 'iframe', 'html'),
  row('frame', 'src', 'frame'),
  row('img', 'src lowsrc', 'img'),
  row('img source', 'srcset', 'img', 'srcset'),
  row('link', 'imagesrcset', 'img', 'srcset'),
  row('img', 'dynsrc', 'media'),
  row('image', 'src', 'img'),
  row('input', 'src', 'img'),
  row('video', 'poster', 'img'),
  row('menuitem command', 'icon', 'img'),
  row('body table thead tbody tfoot tr td th col colgroup', 'background', 'img'),
  row('video audio source track bgsound sound', 'src', 'media'),
  row('embed', 'src', 'embed'),
  row('object', 'data classid', 'embed'),
  row('object applet', 'archive', 'embed', 'urls'),
  row('applet', 'code object', 'embed'),
  row('layer ilayer xml fencedframe portal', 'src', 'embed'),
  row('script', 'src', 'script'),
  row('html', 'manifest', 'manifest'),
  row('blockquote q ins del', 'cite', 'cite'),
  row('img iframe frame', 'longdesc', 'description'),
  row('*', 'style', 'css-image', 'css'),
  row('*', LAZY_URLS, 'lazy'),
  row('*', 'data-srcset data-lazy-srcset data-original-set data-bgset', 'lazy', 'srcset'),
  row('amp-img amp-video amp-audio amp-anim amp-iframe', 'src', 'embed'),
  row('amp-img amp-anim', 'srcset', 'img', 'srcset'),
  { ...row('*', 'href xlink:href', 'svg'), inside: 'svg' },
  {
    ...row('*', 'fill stroke filter clip-path mask marker marker-start marker-mid marker-end cursor', 'svg', 'css'),
    inside: 'svg',
  },
  { ...row('animate set', 'from to by', 'svg'), inside: 'svg' },
  { ...row('animate', 'values', 'svg', 'values'), inside: 'svg' },
  { ...row('*', 'href xlink:href', 'math'), inside: 'math' },
  { ...row('mglyph', 'src', 'img'), inside: 'math' },
  { ...row('math', 'altimg', 'img'), inside: 'math' },
  row('a area', 'ping', 'ping', 'urls'),
  row('button input', 'formaction', 'action'),
  row('head', 'profile', 'attribute', 'urls'),
  row('embed', 'pluginspage pluginurl', 'attribute'),
  row('*', 'itemid about resource data-href data-url data-link data-target-url data-ajax-url', 'attribute'),
  row('*', 'itemtype', 'attribute', 'urls'),
  row('*', 'hx-get data-hx-get', 'attribute'),
];

export interface OtherRow {
  readonly name: string;
  readonly where: string;
  readonly kind: LinkKind;
}

function other(name: string, kind: LinkKind, where: string): OtherRow {
  return { name, where, kind };
}

/** References that are not the value of one attribute. */
export const OTHER_ROWS: readonly OtherRow[] = [
  other('link canonical', 'canonical', '`<link href>` with the `rel` canonical'),
  other('link alternate', 'alternate', '`<link href>` with the `rel` alternate'),
  other('link feed', 'feed', '`<link href>` with the `rel` alternate and the type of a feed, or with the `rel` feed'),
  other('link next', 'pagination', '`<link href>` with the `rel` next or prev'),
  other('link related', 'related', '`<link href>` with another `rel` that names a page: author, help, license, up …'),
  other('link sitemap', 'sitemap', '`<link href>` with the `rel` sitemap'),
  other('link stylesheet', 'stylesheet', '`<link href>` with the `rel` stylesheet'),
  other('link icon', 'icon', '`<link href>` with the `rel` icon, apple-touch-icon or mask-icon'),
  other('link other', 'link', '`<link href>` with any other `rel` except preconnect and dns-prefetch'),
  other('meta refresh', 'meta-refresh', '`<meta http-equiv=refresh>`, in every spelling'),
  other(
    'meta preview',
    'preview',
    '`<meta>` with an image or media: og:image, twitter:image, msapplication-TileImage …',
  ),
  other('meta other', 'meta', '`<meta>` with another URL: og:url, msapplication-starturl, report-uri of a policy …'),
  other('form', 'form', '`<form>` with method GET that needs no input: a URL for each submit button'),
  other('form action', 'action', '`<form>` with method POST, or that needs input: its action'),
  other('param', 'embed', '`<param value>` with the name movie, src, url, filename, href …'),
  other('noframes', 'a', 'in `<noframes>`, `<noembed>`, `<noscript>`, `<template>`: every kind'),
  other('conditional comment', 'a', 'in conditional comments (`<!--[if IE]> … <![endif]-->`): every kind'),
  other('comment', 'comment', 'in other comments: markup, and strings that look like URLs'),
  other('text', 'text', 'URLs in text, and in documents of the type text/plain'),
  other('css import', 'stylesheet', '`@import` in style sheets and `<style>`'),
  other('css font', 'font', '`@font-face` in style sheets and `<style>`'),
  other('css image', 'css-image', 'any other `url()`, `image-set()` and `image()` in style sheets and `<style>`'),
  other('script import', 'script', 'imports, workers and `new URL(…, import.meta.url)` in scripts and `<script>`'),
  other('script string', 'string', 'strings in scripts, event handlers and `javascript:` links that look like URLs'),
  other('import map', 'script', '`<script type=importmap>`'),
  other('speculation rules', 'speculation', '`<script type=speculationrules>`, `application/speculationrules+json`'),
  other('json', 'json', 'strings in JSON and `<script type=application/ld+json>` that look like URLs'),
  other('unknown attribute', 'attribute', 'any other attribute that looks like a URL'),
  other('doctype', 'attribute', 'the system identifier of a doctype'),
  other('xml-stylesheet', 'stylesheet', '`<?xml-stylesheet href?>`'),
  other('xslt', 'transform', '`<xsl:import href>`, `<xsl:include href>`, `<xi:include href>`'),
  other('svg document', 'a', 'SVG documents: all rows for svg; its links are followed by default'),
  other('xml', 'xml', 'other XML documents: attributes that look like URLs'),
  other('web app manifest', 'manifest', 'web app manifests: icons, screenshots, start_url, scope, shortcuts …'),
  other('cache manifest', 'manifest', 'cache manifests: the sections CACHE and FALLBACK'),
  other('opensearch', 'manifest', 'OpenSearch descriptions: `<Image>`, `<SearchForm>`, templates that need no input'),
  other('browserconfig', 'manifest', '`browserconfig.xml`: `src`'),
  other('header link', 'alternate', 'HTTP header `Link`: the kind of its `rel`, as for `<link>`'),
  other('header refresh', 'meta-refresh', 'HTTP header `Refresh`'),
  other(
    'header location',
    'header',
    'HTTP headers `Content-Location`, and `Location` of a response that is no redirect',
  ),
  other('header other', 'attribute', 'HTTP headers `SourceMap`, `X-Pingback`, and report-uri of a policy'),
  other('feed', 'feed', 'entries of a feed'),
  other('sitemap', 'sitemap', 'entries of a sitemap'),
];
