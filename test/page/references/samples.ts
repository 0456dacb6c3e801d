/**
 * A test page for every row of the reference table. Pages of attribute rows are made from the rows; the others are
 * written by hand. `@` stands for the URLs that must be found: `/r/1`, `/r/2` … in the order of the page.
 * browser-requests.ts says which of them Chromium requested.
 */
import type { LinkKind } from '../../../src/page/page.ts';
import { ATTRIBUTE_ROWS, OTHER_ROWS, type Reads } from '../../../src/page/references/reference-table.ts';

export interface Sample {
  readonly row: string;
  readonly body: string;
  readonly type?: string;
  readonly headers?: readonly string[];
  readonly kind: LinkKind;
  /** How many `@` the page has. */
  readonly count: number;
  /** URLs to find instead of `/r/1` …, for pages that write them in another way. */
  readonly finds?: readonly string[];
}

const VALUES: Readonly<Record<Reads, string>> = {
  url: '@',
  urls: '@ @',
  srcset: '@ 1x, @ 2x',
  values: '@; @',
  css: 'background: url(@)',
  html: "<a href='@'>x</a>",
  script: "open('@')",
};

/** Elements that a browser reads only inside others. `#` stands for the element. */
const AROUND: Readonly<Record<string, string>> = {
  area: '<map name=m>#</map>',
  frame: '<frameset>#</frameset>',
  source: '<video>#</video>',
  track: '<video controls src="data:video/mp4,">#</video>',
  thead: '<table>#<tr><td>x</table>',
  tbody: '<table>#<tr><td>x</table>',
  tfoot: '<table>#<tr><td>x</table>',
  tr: '<table>#<td>x</table>',
  td: '<table><tr>#x</table>',
  th: '<table><tr>#x</table>',
  col: '<table><colgroup>#</colgroup><tr><td>x</table>',
  colgroup: '<table>#<tr><td>x</table>',
  svg: '<svg width=9 height=9>#</svg>',
  math: '<math>#</math>',
};

/** Attributes without which an element means nothing. */
const NEEDED: Readonly<Record<string, string>> = {
  input: 'type=image',
  link: 'rel=preload as=image',
  track: 'default kind=captions',
  animate: 'attributeName=href dur=1s',
  set: 'attributeName=href',
};

const ANY: Readonly<Record<string, string>> = { svg: 'use', math: 'mrow' };

function attributeSamples(): Sample[] {
  return ATTRIBUTE_ROWS.flatMap(({ on, attributes, kind, reads, inside }) =>
    on.split(' ').flatMap((name) =>
      attributes.split(' ').map((attribute): Sample => {
        const element = name === '*' ? (ANY[inside ?? ''] ?? 'div') : name;
        const value = inside === 'svg' && reads === 'css' ? 'url(@)' : VALUES[reads];
        const tag = `<${element} ${NEEDED[element] ?? ''} ${attribute}="${value}">`;
        const around = AROUND[name === inside ? '' : (inside ?? element)] ?? '#';
        const found = reads === 'html' ? 'a' : kind === 'svg' && reads === 'css' ? 'css-image' : kind;
        return {
          row: `${name} ${attribute}`,
          body: around.replace('#', tag),
          kind: found,
          count: value.split('@').length - 1,
        };
      }),
    ),
  );
}

const sample = (row: string, body: string, more: Partial<Sample> = {}): Sample => ({
  row,
  body,
  kind: OTHER_ROWS.find(({ name }) => name === row)!.kind,
  count: body.split('@').length - 1,
  ...more,
});

const CSS_TYPE = { type: 'text/css' };
const SCRIPT_TYPE = { type: 'text/javascript' };

export const SAMPLES: readonly Sample[] = [
  ...attributeSamples(),
  sample('link canonical', '<link rel=canonical href=@>'),
  sample('link alternate', '<link rel=alternate hreflang=de href=@>'),
  sample('link feed', '<link rel=alternate type="application/rss+xml" href=@><link rel=feed href=@>'),
  sample('link next', '<link rel=next href=@><link rel=prev href=@>'),
  sample(
    'link related',
    '<link rel=author href=@><link rel="help" href=@><link rel=license href=@><link rel=amphtml href=@>',
  ),
  sample('link sitemap', '<link rel=sitemap href=@>'),
  sample('link stylesheet', '<link rel=stylesheet href=@><link rel="STYLESHEET alternate" href=@>'),
  sample('link icon', '<link rel="shortcut icon" href=@><link rel=apple-touch-icon href=@><link rel=mask-icon href=@>'),
  sample('link other', '<link rel=preload as=script href=@><link rel=modulepreload href=@><link rel=prefetch href=@>'),
  sample('link other', '<link rel=manifest href=@><link rel=search href=@><link rel=preconnect href=/no>'),
  sample('meta refresh', '<meta http-equiv=Refresh content="900;url=@">'),
  sample(
    'meta preview',
    '<meta property=og:image content=@><meta name="twitter:image" content=@><meta name=thumbnail content=@>',
  ),
  sample('meta preview', '<meta name=msapplication-TileImage content=@><meta name=msapplication-config content=@>'),
  sample(
    'meta other',
    '<meta property=og:url content=@><meta name=msapplication-task content="name=x;action-uri=@;icon-uri=@">',
  ),
  sample('meta other', '<meta http-equiv=Content-Security-Policy content="img-src *; report-uri @">'),
  sample(
    'form',
    '<form action=@><input type=hidden name=a value="b c"><select name=s><option value=1>x</select><button>go</button></form>',
    {
      finds: ['/r/1?a=b+c&s=1'],
    },
  ),
  sample(
    'form',
    '<form action="/x?old=1"><input name=q value="é&"><input type=submit name=go value=1><button formaction=@>2</button></form>',
    {
      finds: ['/x?q=é%26&go=1', '/r/1?q=é%26'],
    },
  ),
  sample('form', '<form action=/no><input name=q></form><form action=/no method=post></form>', { finds: [] }),
  sample('form action', '<form action=@ method=post></form><form action=@><input name=q></form>'),
  sample('param', '<object><param name=movie value=@><param name=SRC value=@></object>'),
  sample(
    'noframes',
    '<noframes><a href=@></noframes><noembed><a href=@></noembed><noscript><a href=@></noscript><template><a href=@></template>',
    {
      finds: ['/r/3', '/r/4', '/r/1', '/r/2'],
    },
  ),
  sample('conditional comment', '<!--[if lt IE 9]><a href=@></a><![endif]--><!--[if IE]><a href="@"></a><![endif]-->'),
  sample('comment', '<!-- <a href=@>x</a> <img src="@"> -->', { finds: ['/r/1', '/r/2', '/r/2'] }),
  sample('text', '<p>See http://site.test@, and (http://site.test@).', {
    finds: ['http://site.test/r/1', 'http://site.test/r/2'],
  }),
  sample('text', 'See http://site.test@ now', { type: 'text/plain', finds: ['http://site.test/r/1'] }),
  sample('css import', '<style>\u0001import "@"; \u0001import url(@)</style>'),
  sample(
    'css import',
    '\u0001import "@"; \u0001import url(@) print; \u0001IMPORT url( "@" ); \u0001\\69mport \'@\';',
    CSS_TYPE,
  ),
  sample('css font', '\u0001font-face { font-family: x; src: url(@) format("woff2"), url("@") }', CSS_TYPE),
  sample(
    'css image',
    'a { background: \\75rl(@) } b { background: image-set("@" 1x, url(@) 2x) } \u0001namespace url(/no);',
    CSS_TYPE,
  ),
  sample('css image', '<style>body { background: url("@") } i { content: url(/r\\/2) }</style>', {
    finds: ['/r/1', '/r/2'],
  }),
  sample('script import', 'import "@"; import a, { b as c } from \'@\'; import("@"); export * from "@"', SCRIPT_TYPE),
  sample('script import', '<script type=module>import "@"; new Worker("@"); new URL("@", import.meta.url)</script>'),
  sample('script string', 'fetch("@"); open(\'http:\\/\\/site.test@\'); x = "text/html"', {
    ...SCRIPT_TYPE,
    finds: ['/r/1', 'http://site.test/r/2'],
  }),
  sample(
    'script string',
    '<script>var a = "@", b = \'img/x.png\'</script><b onclick="location = \'@\'"><a href="javascript:open(\'@\')">',
    {
      finds: ['/r/1', 'img/x.png', '/r/2', '/r/3'],
    },
  ),
  sample(
    'import map',
    '<script type=importmap>{"imports": {"a": "@", "b/": "/folder/"}, "scopes": {"/s/": {"c": "@"}}}</script>',
  ),
  sample(
    'speculation rules',
    '<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["@", "@"]}]}</script>',
  ),
  sample('speculation rules', '{"prerender": [{"urls": ["@"]}]}', { type: 'application/speculationrules+json' }),
  sample(
    'json',
    '<script type="application/ld+json">{"url": "@", "image": ["http://site.test@"], "name": "text"}</script>',
    {
      finds: ['/r/1', 'http://site.test/r/2'],
    },
  ),
  sample('json', '{"next": "@", "list": [{"href": "\\/r\\/2"}]}', {
    type: 'application/json',
    finds: ['/r/1', '/r/2'],
  }),
  sample('unknown attribute', '<div data-anything="@" data-x=\'{"u":"@"}\'><my-card image-url=@></my-card>'),
  sample('doctype', '<!DOCTYPE html SYSTEM "http://site.test@"><p>x', { finds: ['http://site.test/r/1'] }),
  sample('xml-stylesheet', '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="@"?><root/>', {
    type: 'text/xml',
  }),
  sample(
    'xslt',
    '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="@"/><xsl:include href="@"/></xsl:stylesheet>',
    {
      type: 'application/xslt+xml',
    },
  ),
  sample('svg document', '<svg xmlns="http://www.w3.org/2000/svg"><a href="@"><text>x</text></a></svg>', {
    type: 'image/svg+xml',
  }),
  sample('xml', '<config><page location="@"/></config>', { type: 'text/xml' }),
  sample(
    'web app manifest',
    '{"name": "x", "start_url": "@", "icons": [{"src": "@"}], "shortcuts": [{"url": "@", "icons": [{"src": "@"}]}]}',
    {
      type: 'application/manifest+json',
    },
  ),
  sample('cache manifest', 'CACHE MANIFEST\n# note\n@\nNETWORK:\n/no\nFALLBACK:\n/no @\nCACHE:\n@\n', {
    type: 'text/cache-manifest',
  }),
  sample(
    'opensearch',
    '<OpenSearchDescription><Url template="/no?q={searchTerms}"/><Url template="@{startPage?}"/><Image>@</Image></OpenSearchDescription>',
    {
      type: 'application/opensearchdescription+xml',
    },
  ),
  sample(
    'browserconfig',
    '<browserconfig><msapplication><tile><square70x70logo src="@"/></tile></msapplication></browserconfig>',
    {
      type: 'text/xml',
    },
  ),
  sample('header link', '<base href=/elsewhere/>', {
    headers: ['Link', '<@>; rel="alternate"; title="a, b", <@>; rel=alternate'],
    count: 2,
    finds: ['http://site.test/r/1', 'http://site.test/r/2'],
  }),
  sample('header refresh', '<p>x', { headers: ['Refresh', '900; url=@'], count: 1 }),
  sample('header location', '<p>x', { headers: ['Content-Location', '@', 'Location', '@'], count: 2 }),
  sample('header other', '<p>x', {
    headers: [
      ...['SourceMap', '@', 'Content-Security-Policy', "default-src 'self'; report-uri @", 'X-Pingback', '@'],
      ...['content-security-policy-report-only', 'report-uri @'],
    ],
    count: 4,
  }),
  sample('feed', '<rss><channel><item><link>@</link></item></channel></rss>', { type: 'application/rss+xml' }),
  sample('sitemap', '<urlset><url><loc>http://site.test@</loc></url></urlset>', {
    type: 'application/xml',
    finds: ['http://site.test/r/1'],
  }),
];

export interface ReadySample {
  readonly body: string;
  readonly headers: readonly string[];
  readonly finds: readonly string[];
}

/** Puts the URLs in. The character U+0001 stands for an `@` of CSS. */
export function ready({ body, headers = [], count, finds }: Sample): ReadySample {
  let number = 0;
  const fill = (text: string) => text.replace(/@/g, () => `/r/${++number}`).replaceAll('\u0001', '@');
  const filled = { body: fill(body), headers: headers.map((text, i) => (i % 2 === 0 ? text : fill(text))) };
  return { ...filled, finds: finds ?? Array.from({ length: count }, (_, i) => `/r/${i + 1}`) };
}
