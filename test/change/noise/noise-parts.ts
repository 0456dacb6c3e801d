/**
 * Parts that servers, frameworks and advertisers put into pages, in their own notation. The style
 * depends on the page, the value on the visit.
 */
import type { PageMaker } from './page-maker.ts';

export function headNoise(m: PageMaker): string[] {
  const nonce = m.drawn('nonce').base64(24);
  const asset = m.pick(['query', 'bare', 'hashed', 'vite', 'folder']);
  const parts = [
    `<meta name="${m.pick(['csrf-token', '_csrf', 'xsrf-token', 'csrf_token'])}" content="${m.drawn('csrf-token').base64(40)}">`,
    `<meta name="${m.pick(['request-id', 'x-request-id', 'trace-id', 'traceparent', 'page-view-id'])}" content="${m.drawn('request-id').uuid()}">`,
    `<link rel="stylesheet" href="${assetUrl(m, asset, 'site', 'css')}">`,
    `<script src="${assetUrl(m, asset, 'main', 'js')}" nonce="${nonce}"></script>`,
    `<script nonce="${nonce}">document.documentElement.className = "js";</script>`,
    m.isChosen(0.4) ? `<meta http-equiv="Content-Security-Policy" content="script-src 'self' 'nonce-${nonce}'">` : '',
    analytics(m),
    comment(m),
  ];
  return parts;
}

function assetUrl(m: PageMaker, style: string, name: string, ending: string): string {
  const draw = m.drawn('cache-buster');
  if (style === 'query')
    return `/assets/${name}.${ending}?${m.pick(['v', 'ver', 't', '_', 'rev'])}=${draw.number(1_700_000_000, 1_799_999_999)}`;
  if (style === 'bare') return `/assets/${name}.${ending}?${draw.letters(10)}7`;
  if (style === 'hashed') return `/static/${name}.${draw.letters(8)}4.${ending}`;
  if (style === 'vite')
    return `/assets/${name}-${draw.letters(3, 'BCDFGHKX')}${draw.letters(3, 'abcdefgh')}${draw.number(10, 99)}.${ending}`;
  return `/_next/static/${draw.letters(5)}7a${draw.letters(14, 'abcXYZ0123456789')}3c/${name}.${ending}`;
}

export function comment(m: PageMaker): string {
  const draw = m.drawn('comment');
  return m.pick([
    `<!-- generated ${draw.number(10, 23)}:${draw.number(10, 59)}:${draw.number(10, 59)} in ${draw.number(10, 900)} ms -->`,
    `<!-- cache ${draw.pick(['HIT', 'MISS'])} ${draw.uuid()} -->`,
    `<!-- web${draw.number(1, 40)} build ${draw.letters(8)} -->`,
  ]);
}

export function analytics(m: PageMaker): string {
  const draw = m.drawn('analytics');
  return m.pick([
    `<script>window.dataLayer = window.dataLayer || []; dataLayer.push({"visitor":"${draw.letters(16)}","ts":${draw.number(1e9, 2e9)}});</script>`,
    `<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});})(window,document,'script','dataLayer','GTM-${draw.letters(6, 'ABCDEFGH123')}');</script>`,
    `<script async src="https://www.googletagmanager.com/gtag/js?id=G-${draw.letters(8, 'ABCDEFGH123')}&cx=${draw.number(1, 99)}"></script>`,
    `<img src="https://stats.example.org/p.gif?r=${draw.number(1, 1e9)}" width="1" height="1" alt="">`,
    `<script>window.NREUM||(NREUM={});NREUM.info={"queueTime":${draw.number(0, 9)},"applicationTime":${draw.number(10, 900)},"atts":"${draw.base64(24)}"}</script>`,
    `<script>var _paq = window._paq = window._paq || []; _paq.push(['setVisitorId', '${draw.letters(16)}']); _paq.push(['trackPageView']);</script>`,
  ]);
}

export function advertisement(m: PageMaker): string {
  const draw = m.drawn('advertisement');
  const text = draw.pick([
    'Best boots of the year',
    'Save now on travel',
    'Insurance made easy',
    'Your new sofa awaits',
    'Learn Spanish fast',
  ]);
  const number = draw.number(100_000, 999_999);
  return m.pick([
    `<div class="ad-slot"><iframe src="https://tpc.googlesyndication.com/safeframe/${number}.html"></iframe></div>`,
    `<ins class="adsbygoogle" data-ad-client="ca-pub-${number}" data-ad-slot="${number}"></ins>`,
    `<div class="advertisement"><span>Advertisement</span><a href="https://adclick.g.doubleclick.net/?c=${number}">${text}</a></div>`,
    `<aside class="ad sidebar-ad"><a href="https://adclick.g.doubleclick.net/x/${number}"><img src="https://tpc.googlesyndication.com/simgad/${number}" alt="${text}"></a></aside>`,
    `<div id="div-gpt-ad-${number}-0"><script>googletag.cmd.push(function() { googletag.display("div-gpt-ad-${number}-0"); });</script></div>`,
    `<div class="sponsored"><p><a href="https://www.googleadservices.com/pagead/aclk?sa=${number}">${text}</a></p></div>`,
    `<iframe src="https://ads.example.net.doubleclick.net/adi/${number}" width="300" height="250"></iframe>`,
    `<div class="banner_ad top"><img src="https://ad.doubleclick.net/ad/${number}.gif" alt="${text}"></div>`,
    draw.pick(['<div class="AdContainer"></div>', '']),
    `<div id="taboola-below" class="dfp-ad"><script async src="https://cdn.taboola.com/libtrc/${number}/loader.js"></script></div>`,
  ]);
}

export function counter(m: PageMaker): string {
  const draw = m.drawn('counter');
  const count = draw.number(1_000, 99_999);
  const grouped = count.toLocaleString('en');
  const online = draw.number(2, 400);
  return m.pick([
    `<span class="meta">${grouped} views</span>`,
    `<p>Views: ${grouped}</p>`,
    `<div>${online} users online</div>`,
    `<span class="view-count">${grouped} views</span>`,
    `<p><b>${grouped}</b> views</p>`,
    `<div>There are currently ${online} guests and ${draw.number(2, 30)} members online.</div>`,
    `<span>Visitors online: <b>${online}</b></span>`,
    `<p>${online} people are viewing this right now</p>`,
    `<span>${(count / 1000).toFixed(1)}K views</span>`,
  ]);
}

export function age(m: PageMaker): string {
  const draw = m.drawn('relative-time');
  const count = draw.number(2, 58);
  const name = m.pick(['Ann', 'Bo', 'Chris']);
  return m.pick([
    `<span class="when">${count} ${m.pick(['minutes', 'hours'])} ago</span>`,
    `<p>Updated ${count} minutes ago</p>`,
    `<p>by <a href="/u/${name}">${name}</a> ${count} hours ago</p>`,
    `<p>Posted by ${name} · ${draw.pick(['just now', `${count} seconds ago`, 'a minute ago'])} · General</p>`,
    `<time datetime="2026-03-04T10:00:00Z">${draw.number(2, 23)}h</time>`,
    `<span>vor ${count} Minuten</span>`,
    `<span>il y a ${count} minutes</span>`,
    `<small>Last updated: ${count} min ago</small>`,
  ]);
}

export function generatedIds(m: PageMaker): string {
  const draw = m.drawn('generated-id');
  const id = m.pick([
    `:r${draw.letters(1, 'abcdefgh')}${draw.number(1, 9)}:`,
    `react-aria-${draw.number(1e6, 9e6)}`,
    draw.uuid(),
    `field-${draw.letters(15)}7`,
    `radix-:r${draw.number(1, 9)}:`,
    `mui-${draw.number(1000, 9999)}`,
  ]);
  return `<form action="/search"><label for="${id}">Search this site</label><input id="${id}" aria-describedby="${id}" name="q"></form>`;
}

export function forms(m: PageMaker): string {
  const token = m.drawn('csrf-token');
  const session = m.drawn('session-id');
  const sessionUrl = m.pick([
    `/cart;jsessionid=${session.letters(32, '0123456789ABCDEF')}`,
    `/cart?PHPSESSID=${session.letters(24)}7a`,
    `/cart?a=1&amp;sid=${session.letters(32)}`,
    `/(S(${session.letters(24, 'abcdefgh12345')}))/cart`,
  ]);
  return m.lines(
    `<form method="post" action="/subscribe">`,
    `<input type="hidden" name="${m.pick(['csrf_token', 'authenticity_token', '__RequestVerificationToken', '_token', 'csrfmiddlewaretoken', '_wpnonce', '__VIEWSTATE', 'form_build_id'])}" value="${token.base64(44)}">`,
    '<p><input type="email" name="email"> <button>Subscribe</button></p></form>',
    `<p><a href="${sessionUrl}">Basket</a></p>`,
  );
}

export function scriptState(m: PageMaker): string {
  const draw = m.drawn('script-token');
  return m.pick([
    `<script>window.app = {"csrfToken": "${draw.base64(32)}", "requestId": "${draw.uuid()}", "user": null};</script>`,
    `<script type="application/json" id="config">{"nonce":"${draw.letters(10)}","timestamp":${draw.number(1_700_000_000, 1_799_999_999)},"locale":"en"}</script>`,
    `<script>var ajax = {url: '/ajax', nonce: '${draw.letters(10)}'};</script>`,
    `<script>document.cookie = "x=1"; var sessionId = "${draw.letters(12)}1a2b3c4d"; start();</script>`,
    `<script id="state" type="application/json">{"buildId":"${draw.letters(12)}7","serverTime":"2026-0${draw.number(1, 9)}-11T10:${draw.number(10, 59)}:00Z","items":[]}</script>`,
  ]);
}

export function challenge(m: PageMaker): string {
  const draw = m.drawn('anti-bot');
  return m.pick([
    `<script>(function(){window['__CF$cv$params']={r:'${draw.letters(16)}',t:'${draw.base64(16)}'};})();</script>`,
    `<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/${draw.letters(12)}"></script>`,
    `<script src="/_Incapsula_Resource?SWJIYLWA=${draw.letters(32)}&ns=${draw.number(1, 9)}"></script>`,
  ]);
}

/** An e-mail address, obfuscated with the key of the visit. */
export function veiledEmail(m: PageMaker, address: string): string {
  const key = m.drawn('anti-bot').number(1, 255);
  const hex = [key, ...Buffer.from(address).map((byte) => byte ^ key)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
  return `<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="${hex}">[email&#160;protected]</a>`;
}

export function footNoise(m: PageMaker, holder: string): string {
  const time = m.drawn('render-time');
  const server = m.drawn('server-marker');
  const year = m.drawn('copyright-year').number(2020, 2029);
  const seconds = `0.0${time.number(10, 99)}`;
  const [open, close] = m.pick([
    ['<footer>', '</footer>'],
    ['<div id="footer">', '</div>'],
    ['<footer class="site-footer">', '</footer>'],
  ] as const);
  return m.lines(
    open,
    m.pick([
      `<p>© ${year} ${holder}</p>`,
      `<p>Copyright 2004–${year} ${holder}. All rights reserved.</p>`,
      `<p>&copy; <span>${year}</span> ${holder}</p>`,
      `<p>(c) ${holder} ${year}</p>`,
    ]),
    m.pick([
      `<p>Page generated in ${seconds} seconds</p>`,
      `<div><small>${time.number(4, 80)} queries in ${seconds} s</small></div>`,
      `<p>This page was rendered at 2026-05-12 ${time.number(10, 23)}:${time.number(10, 59)}:${time.number(10, 59)} UTC</p>`,
      `<p>Render time: ${time.number(3, 900)} ms</p>`,
    ]),
    m.pick([
      `<p>Page served by web-${server.number(10, 99)}</p>`,
      `<p>This request was handled by app${server.number(1, 99)}.fra1</p>`,
      `<div><small>Content served from node-${server.number(1, 30)}</small></div>`,
    ]),
    close,
  );
}
