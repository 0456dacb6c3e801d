/** Each rule by hand: differences that it must ignore, and similar differences that it must not ignore. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOISE_RULE_NAMES, type NoiseRuleName } from '../../../src/change/noise/rule-table.ts';
import { BORDERLINE_CHANGES, readSide } from './borderline-changes.ts';
import { explained, isChanged } from './compare-versions.ts';
import { PLATFORM_PAIRS } from './platform-pairs.ts';
import { REVIEWED_CHANGES } from './reviewed-changes.ts';

const page = (body: string) =>
  `<!DOCTYPE html><html lang="en"><head><title>Page</title></head><body><div id="page"><h1>Page</h1>${body}</div></body></html>`;

type Case = readonly [before: string, after: string];

const NOISE: Readonly<Record<NoiseRuleName, readonly Case[]>> = {
  comment: [
    ['<p>a<!-- 1 --> b</p>', '<p>a b</p>'],
    ['<p>dog<!-- x -->house</p>', '<p>doghouse</p>'],
    ['<!--[if IE]>old<![endif]--><p>x</p>', '<p>x</p>'],
  ],
  'white-space': [
    ['<div>\n  <p> a\t b </p>\n</div>', '<div><p>a b</p></div>'],
    ['<ul><li>a</li> <li>b</li></ul>', '<ul>\n<li>a</li><li>b</li></ul>'],
    [
      '<p>x</p><script>a()</script>\n<script>b()</script><p>y</p>',
      '<p>x</p>\n<script>a()</script><script>b()</script>\n<p>y</p>',
    ],
    ['<p>a <b>b</b>\n</p>', '<p>a\n<b>b</b></p>'],
  ],
  'attribute-order': [
    ['<p id="x" class="b a c">t</p>', '<p class="a b  c" id="x">t</p>'],
    ['<img src="/a.png" alt="A">', '<img alt="A" src="/a.png">'],
  ],
  nonce: [
    ['<script nonce="abc">f()</script>', '<script nonce="xyz">f()</script>'],
    ['<style nonce="abc">p{}</style>', '<style>p{}</style>'],
  ],
  'csrf-token': [
    [
      '<input type="hidden" name="csrf_token" value="4e1f0a9b77">',
      '<input type="hidden" name="csrf_token" value="a0b1c2d3e4">',
    ],
    ['<meta name="csrf-token" content="kX3vQ9aa1b2C">', '<meta name="csrf-token" content="9Qz1Lmm8x7Y6">'],
    [
      '<input type="hidden" name="token" value="9f86d081884c7d659a2feaa0c55ad015">',
      '<input type="hidden" name="token" value="60303ae22b998861bce3b28f33eec1be">',
    ],
    ['<form data-csrf="q1w2e3r4t5">x</form>', '<form data-csrf="e3r4t5z6u7">x</form>'],
  ],
  'session-id': [
    [
      '<a href="/authorize?client_id=a&state=xYz123AbC456&code_challenge=aaBBB111cccDDD222">x</a>',
      '<a href="/authorize?client_id=a&state=pQr789DeF012&code_challenge=ggHHH444eeeFFF333">x</a>',
    ],
    ['<a href="/cart;jsessionid=1A2B">c</a>', '<a href="/cart">c</a>'],
    [
      '<form action="https://a.example/x?PHPSESSID=0123456789abcdef01">f</form>',
      '<form action="https://a.example/x?PHPSESSID=fedcba987654321012">f</form>',
    ],
    [
      '<a href="page.php?a=1&amp;sid=9f86d081884c7d659a2feaa0c55ad015">c</a>',
      '<a href="page.php?a=1&amp;sid=60303ae22b998861bce3b28f33eec1be">c</a>',
    ],
    [
      '<input type="hidden" name="PHPSESSID" value="9f86d081884c7d659a2feaa0c55ad015">',
      '<input type="hidden" name="PHPSESSID" value="60303ae22b998861bce3b28f33eec1be">',
    ],
  ],
  'request-id': [
    ['<meta name="x-request-id" content="4e1f0a9b77">', '<meta name="x-request-id" content="a0b1c2d3e4">'],
    ['<div data-trace-id="a1">x</div>', '<div data-trace-id="b2">x</div>'],
    ['<meta name="traceparent" content="00-4bf9-01">', '<meta name="traceparent" content="00-77aa-01">'],
  ],
  'cache-buster': [
    ['<a href="/login?to=%2Fa&ts=1718022334#b">x</a>', '<a href="/login?to=%2Fa&ts=1718099334#b">x</a>'],
    ['<iframe src="/player?id=7&cb=918273645"></iframe>', '<iframe src="/player?id=7&cb=192837465"></iframe>'],
    ['<img srcset="/a.png?_=1718022334 1x, /b.png 2x">', '<img srcset="/a.png?_=1718099334 1x, /b.png 2x">'],
    ['<video poster="/a.png?_=1718022334"></video>', '<video poster="/a.png?_=1718099334"></video>'],
    [
      '<meta property="og:image" content="/a.png?nocache=1718022334">',
      '<meta property="og:image" content="/a.png?nocache=1718099334">',
    ],
    ['<script src="/a.js?v=1"></script>', '<script src="/a.js?v=2"></script>'],
    ['<link rel="stylesheet" href="/a.css?ver=6.4.1">', '<link rel="stylesheet" href="/a.css?ver=6.4.2">'],
    ['<script src="/app.9f86d081.js"></script>', '<script src="/app.60303ae2.js"></script>'],
    ['<script src="/assets/index-BkT3x9aZ.js"></script>', '<script src="/assets/index-Dq8Xy2bW.js"></script>'],
    ['<img src="/live.jpg?_=1718022334" alt="">', '<img src="/live.jpg?_=1718022399" alt="">'],
  ],
  'render-time': [
    ['<footer>Generated in 0.012 s</footer>', '<footer>Generated in 0.2 s</footer>'],
    ['<p>Page rendered at 2026-05-12 14:03:22</p>', '<p>Page rendered at 2026-05-13 09:00:01</p>'],
    ['<p>Page generated in 0.042 seconds with 18 queries</p>', '<p>Page generated in 0.1 seconds with 20 queries</p>'],
    ['<footer>25 queries in 0.312 seconds.</footer>', '<footer>29 queries in 0.2 seconds.</footer>'],
    ['<footer>Render time: 312 ms</footer>', '<footer>Render time: 99 ms</footer>'],
  ],
  'server-marker': [
    ['<p>Page served by web-03</p>', '<p>Page served by web-11</p>'],
    ['<p>Request handled by app2.fra1</p>', '<p>Request handled by app7.fra1</p>'],
  ],
  counter: [
    ['<p>1,234 views</p>', '<p>1,240 views</p>'],
    ['<p>15 views</p>', '<p>16 views</p>'],
    ['<p>12 users online</p>', '<p>9 users online</p>'],
    ['<p>By Ann · 1.2K views · 3 comments</p>', '<p>By Ann · 1.3K views · 3 comments</p>'],
    ['<p><b>12</b> users online</p>', '<p><b>13</b> users online</p>'],
    ['<p>Views: <b>12</b></p>', '<p>Views: <b>13</b></p>'],
    [
      '<p><span>Post Views:</span> <span class="count">12</span></p>',
      '<p><span>Post Views:</span> <span class="count">13</span></p>',
    ],
    ['<p>1.234 Aufrufe</p>', '<p>1.300 Aufrufe</p>'],
    ['<p>(1,234 views)</p>', '<p>(1,235 views)</p>'],
  ],
  'relative-time': [
    ['<p>3 minutes ago</p>', '<p>9 minutes ago</p>'],
    ['<p><a href="/ann">Ann</a> just now</p>', '<p><a href="/ann">Ann</a> 4 min ago</p>'],
    ['<p>Posted by Ann 2 hours ago</p>', '<p>Posted by Ann an hour ago</p>'],
    [
      '<time datetime="2026-05-12T14:03:22Z">3 minutes ago</time>',
      '<time datetime="2026-05-12T14:03:22Z">2 days ago</time>',
    ],
    ['<p>by Ann | Updated 3 days ago | News</p>', '<p>by Ann | Updated 4 days ago | News</p>'],
    [
      '<td><time datetime="2026-05-12T14:03:22Z">3 hours ago</time></td>',
      '<td><time datetime="2026-05-12T14:03:22Z">4 hours ago</time></td>',
    ],
    ['<p>vor 3 Stunden</p>', '<p>vor 4 Stunden</p>'],
    ['<p>3 分前</p>', '<p>5 分前</p>'],
    ['<p>Last updated: <span>3 minutes ago</span></p>', '<p>Last updated: <span>5 minutes ago</span></p>'],
  ],
  clock: [
    ['<p>The time now is 14:03:22.</p>', '<p>The time now is 09:11:05.</p>'],
    [
      '<p>All times are GMT +2. The time now is 04:03 PM.</p>',
      '<p>All times are GMT +2. The time now is 11:11 AM.</p>',
    ],
    ['<p>It is currently Thu Nov 19, 2026 9:03 am</p>', '<p>It is currently Fri Nov 20, 2026 4:11 am</p>'],
    ['<p>Server time: 2026-11-19 14:03:21 UTC</p>', '<p>Server time: 2026-11-20 09:11:04 UTC</p>'],
    ['<div>Uhrzeit: 15:03 Uhr</div>', '<div>Uhrzeit: 10:11 Uhr</div>'],
  ],
  'copyright-year': [
    ['<footer>© 2025 Acme</footer>', '<footer>© 2026 Acme</footer>'],
    [
      '<div class="site-footer"><p>Copyright © 2001-2025 Acme. All rights reserved.</p></div>',
      '<div class="site-footer"><p>Copyright © 2001-2026 Acme. All rights reserved.</p></div>',
    ],
    ['<footer>© Acme & Sons Ltd. 2025</footer>', '<footer>© Acme & Sons Ltd. 2026</footer>'],
    ['<footer>&copy; <span id="y">2025</span> Acme</footer>', '<footer>&copy; <span id="y">2026</span> Acme</footer>'],
  ],
  advertisement: [
    [
      '<div class="ad"><a href="https://ad.doubleclick.net/1">Buy boots</a></div>',
      '<div class="ad"><a href="https://ad.doubleclick.net/2">Buy hats</a></div>',
    ],
    ['<div class="ad-slot top"><iframe src="https://tpc.googlesyndication.com/x"></iframe></div>', ''],
    ['<div id="sidebarAd2"></div>', ''],
    [
      '<iframe src="https://securepubads.g.doubleclick.net/a"></iframe>',
      '<iframe src="https://securepubads.g.doubleclick.net/b"></iframe>',
    ],
    [
      '<ins class="adsbygoogle" data-ad-slot="1"></ins>',
      '<ins class="adsbygoogle" data-ad-slot="1"><iframe src="x"></iframe></ins>',
    ],
    [
      '<a href="https://ad.doubleclick.net/1"><img src="/1.gif" alt=""></a>',
      '<a href="https://ad.doubleclick.net/2"><img src="/2.gif" alt=""></a>',
    ],
  ],
  analytics: [
    ['<script>window.dataLayer=[];gtag("config",1)</script>', '<script>window.dataLayer=[];gtag("config",2)</script>'],
    ['<script src="https://www.google-analytics.com/a.js"></script>', ''],
    [
      '<noscript><img src="https://c.example/p?1" width="1" height="1" alt=""></noscript>',
      '<noscript><img src="https://c.example/p?2" width="1" height="1" alt=""></noscript>',
    ],
  ],
  consent: [
    [
      '<div><iframe id="sp_message_iframe_1172550" title="SP Consent Message" src="https://consent.x.test/?id=1"></iframe></div>',
      '<div></div>',
    ],
    ['<iframe name="__tcfapiLocator" style="display:none"></iframe>', ''],
    ['<iframe id="sp_message_iframe_12" title="Einwilligung"></iframe>', '<iframe id="sp_message_iframe_13"></iframe>'],
  ],
  'script-token': [
    ['<script>var a={csrf:"4e1f0a9b77",b:2}</script>', '<script>var a={csrf:"a0b1c2d3e4",b:2}</script>'],
    [
      '<script type="application/json">{"requestId":"4e1f0a9b77","n":1}</script>',
      '<script type="application/json">{"requestId":"a0b1c2d3e4","n":1}</script>',
    ],
    [
      '<script>var s={"nonce":"4e1f0a9b77","timestamp":1718022334}</script>',
      '<script>var s={"nonce":"a0b1c2d3e4","timestamp":1718022399}</script>',
    ],
    [
      '<script>window.serverTime = 1718022334123; go()</script>',
      '<script>window.serverTime = 1718022339999; go()</script>',
    ],
  ],
  'generated-id': [
    ['<label for=":r1:">N</label><input id=":r1:">', '<label for=":r7:">N</label><input id=":r7:">'],
    [
      '<div id="9f86d081-884c-4d65-9a2f-eaa0c55ad015">x</div>',
      '<div id="60303ae2-2b99-4861-bce3-b28f33eec1be">x</div>',
    ],
    [
      '<button aria-controls="radix-:r2:">b</button><div id="radix-:r2:">d</div>',
      '<button aria-controls="radix-:r9:">b</button><div id="radix-:r9:">d</div>',
    ],
    [
      '<a href="#tab-9f86d081884c7d65">t</a><p id="tab-9f86d081884c7d65">p</p>',
      '<a href="#tab-1c3ae22b998861bc">t</a><p id="tab-1c3ae22b998861bc">p</p>',
    ],
  ],
  'anti-bot': [
    ['<a data-cfemail="543931142c7a3b">e</a>', '<a data-cfemail="7f121a3f075110">e</a>'],
    [
      '<a href="/cdn-cgi/l/email-protection#543931142c7a3b">e</a>',
      '<a href="/cdn-cgi/l/email-protection#7f121a3f075110">e</a>',
    ],
    [
      '<a href="/cdn-cgi/l/email-protection#10363329272b50363329282b3e73">e</a>',
      '<a href="/cdn-cgi/l/email-protection#3315104b05020873511d50">e</a>',
    ],
    [
      '<iframe src="https://www.google.com/recaptcha/api2/anchor?k=6Lf&v=XOqlk8PL_y&cb=irmx0937"></iframe>',
      '<iframe src="https://www.google.com/recaptcha/api2/anchor?k=6Lf&v=TnA7HacJqQ&cb=inqrczpq"></iframe>',
    ],
    ["<script>window['__CF$cv$params']={r:'1'}</script>", "<script>window['__CF$cv$params']={r:'2'}</script>"],
  ],
};

for (const rule of NOISE_RULE_NAMES) {
  test(`W17 ${rule}: what it ignores, and that it says so`, () => {
    for (const [before, after] of NOISE[rule]) {
      assert.equal(isChanged(page(before), page(after)), false, `${before} → ${after}`);
      assert.deepEqual(explained(page(before), page(after)), [rule], `${before} → ${after}`);
    }
  });
}

const REAL: readonly Case[] = [
  // Next to comments and white space.
  ['<pre>a b</pre>', '<pre>a  b</pre>'],
  ['<p>a <b>b</b></p>', '<p>a<b>b</b></p>'],
  ['<p>a <script>x()</script>b</p>', '<p>a<script>x()</script>b</p>'],
  ['<p>a&nbsp; b</p>', '<p>a b</p>'],
  ['<textarea>a\nb</textarea>', '<textarea>a b</textarea>'],
  ['<p style="white-space: pre-line">a\nb</p>', '<p style="white-space: pre-line">a b</p>'],
  ['<p>a</p><p>b</p>', '<p>a b</p>'],
  ['<p>one two</p>', '<p>onetwo</p>'],
  ['<p class="open">x</p>', '<p class="closed">x</p>'],
  // Next to tokens.
  ['<script integrity="sha256-a" src="/a.js"></script>', '<script integrity="sha256-b" src="/a.js"></script>'],
  ['<input type="hidden" name="product" value="17">', '<input type="hidden" name="product" value="18">'],
  ['<input type="text" name="csrf_token" value="17">', '<input type="text" name="csrf_token" value="18">'],
  ['<input type="hidden" name="token" value="blue">', '<input type="hidden" name="token" value="red">'],
  ['<meta name="csrf-param" content="a">', '<meta name="csrf-param" content="b">'],
  ['<meta name="description" content="a">', '<meta name="description" content="b">'],
  [
    '<meta property="article:modified_time" content="2026-05-12T10:00:00Z">',
    '<meta property="article:modified_time" content="2026-05-13T10:00:00Z">',
  ],
  ['<meta name="robots" content="index">', '<meta name="robots" content="noindex">'],
  ['<a href="/story?sid=17">x</a>', '<a href="/story?sid=18">x</a>'],
  ['<a href="/a?v=1">x</a>', '<a href="/a?v=2">x</a>'],
  ['<a href="/a?_=1">x</a>', '<a href="/a?_=2">x</a>'],
  ['<a href="/get/app-1.2.3.js">x</a>', '<a href="/get/app-1.2.4.js">x</a>'],
  ['<script src="/jquery-3.7.0.js"></script>', '<script src="/jquery-3.7.1.js"></script>'],
  ['<script src="/a.js?time=evening"></script>', '<script src="/a.js?time=morning"></script>'],
  ['<script src="/a.js?lang=de"></script>', '<script src="/a.js?lang=en"></script>'],
  ['<script src="/bootstrap-datepicker.js"></script>', '<script src="/bootstrap-typeahead1.js"></script>'],
  ['<img src="/boot.jpg?v=1" alt="">', '<img src="/boot.jpg?v=2" alt="">'],
  ['<img src="/boot.9f86d081.jpg" alt="">', '<img src="/boot.60303ae2.jpg" alt="">'],
  ['<img src="/pick?random=cat" alt="">', '<img src="/pick?random=dog" alt="">'],
  ['<link rel="canonical" href="/a?v=1">', '<link rel="canonical" href="/a?v=2">'],
  ['<div data-price="17">x</div>', '<div data-price="18">x</div>'],
  ['<div data-key="small">x</div>', '<div data-key="large">x</div>'],
  ['<a data-cfemail="543931142c7a3b">e</a>', '<a data-cfemail="543931142d7a3b">e</a>'],
  // Next to render times and servers.
  ['<p>The report was generated in 12 minutes</p>', '<p>The report was generated in 13 minutes</p>'],
  ['<p>Report generated at 2026-05-12 14:03</p>', '<p>Report generated at 2026-05-13 14:03</p>'],
  ['<p>Page last updated 2026-05-12</p>', '<p>Page last updated 2026-05-13</p>'],
  ['<p>Last modified: 12 May 2026 14:03</p>', '<p>Last modified: 13 May 2026 14:03</p>'],
  ['<p>Generated in 2019</p>', '<p>Generated in 2020</p>'],
  ['<p>Page 3 of 12</p>', '<p>Page 3 of 13</p>'],
  ['<p>Served by Anna</p>', '<p>Served by Berta</p>'],
  ['<p>Server: eu1</p>', '<p>Server: eu2</p>'],
  ['<p>Loading time: 3 days</p>', '<p>Loading time: 4 days</p>'],
  ['<p>Load time: 312 ms</p>', '<p>Load time: 99 ms</p>'],
  ['<p>Response time: 312 ms</p>', '<p>Response time: 99 ms</p>'],
  ['<p>Took 12.3 s</p>', '<p>Took 12.4 s</p>'],
  ['<p>Built in 12 seconds</p>', '<p>Built in 13 seconds</p>'],
  ['<p>Generated by hugo-0.120</p>', '<p>Generated by hugo-0.121</p>'],
  ['<p>Delivered by dhl24</p>', '<p>Delivered by dpd24</p>'],
  // Next to clocks, which were sent at 14:03:22 UTC on 19 November 2026 and at 09:11:05 UTC a day later.
  ['<p>The time now is 14:03.</p>', '<p>The time now is 14:03.</p><p>Closed</p>'],
  ['<p>The time now is 14:03.</p>', '<p>The time now is 10:11.</p>'],
  ['<p>The time now is 14:03.</p>', '<p>The time now is 09:31.</p>'],
  ['<p>The time is 14:03, the auction ends now</p>', '<p>The time is 09:11, the auction ends now</p>'],
  ['<p>Doors open at 14:03</p>', '<p>Doors open at 09:11</p>'],
  ['<p>Time: 14:03</p>', '<p>Time: 09:11</p>'],
  ['<td>Time now: 14:03</td>', '<td>Time now: 09:11</td>'],
  ['<p>Server time: 24 December 2026 14:03</p>', '<p>Server time: 27 December 2026 09:11</p>'],
  ['<p>It is now 25 EUR 14:03</p>', '<p>It is now 28 EUR 09:11</p>'],
  // Next to frames for consent.
  ['<iframe id="sp_message_iframe_1" title="Sold out"></iframe>', ''],
  ['<iframe id="sp_message_iframe_1" title="Cookies: 3 EUR"></iframe>', '<iframe id="sp_message_iframe_1"></iframe>'],
  [
    '<iframe id="message" title="Consent" src="/a"></iframe>',
    '<iframe id="message" title="Consent" src="/b"></iframe>',
  ],
  ['<div id="sp_message_iframe_1">Sold out</div>', '<div id="sp_message_iframe_1">In stock</div>'],
  ['<div class="cookie-banner">Cookies until May</div>', '<div class="cookie-banner">Cookies until June</div>'],
  // Next to counters.
  ['<p>Online: 5</p>', '<p>Online: 4</p>'],
  ['<p>5 online</p>', '<p>4 online</p>'],
  ['<p>Seen: 5</p>', '<p>Seen: 6</p>'],
  ['<p>5 players online</p>', '<p>6 players online</p>'],
  ['<p>Last seen 3 days ago</p>', '<p>Last seen 4 days ago</p>'],
  ['<p>1,234 in stock</p>', '<p>1,235 in stock</p>'],
  ['<p>3 seats left</p>', '<p>2 seats left</p>'],
  ['<p>The film has 1,234 views</p>', '<p>The film has 1,235 views</p>'],
  ['<p>The film has <b>1,234</b> views</p>', '<p>The film has <b>1,235</b> views</p>'],
  ['<p>It had <b>1,234 views</b> in a week</p>', '<p>It had <b>1,299 views</b> in a week</p>'],
  ['<h2>1,234 views</h2>', '<h2>1,235 views</h2>'],
  ['<td>1,234 views</td>', '<td>1,235 views</td>'],
  ['<p>12 comments</p>', '<p>13 comments</p>'],
  ['<p>10 visits</p>', '<p>12 visits</p>'],
  ['<p>1,234 views</p>', '<p>1,234 likes</p>'],
  ['<p>5 rooms with views</p>', '<p>6 rooms with views</p>'],
  ['<option>3 views</option>', '<option>4 views</option>'],
  ['<span class="review-count">12</span>', '<span class="review-count">13</span>'],
  ['<span class="count">12</span>', '<span class="count">13</span>'],
  ['<p>12 courses online</p>', '<p>13 courses online</p>'],
  ['<p>Room with 3 beds, 2 views</p>', '<p>Room with 3 beds, 3 views</p>'],
  ['<p>100K followers</p>', '<p>101K followers</p>'],
  // Next to relative times.
  ['<p>The king died 3 days ago</p>', '<p>The king died 4 days ago</p>'],
  ['<p>The king <b>died</b> 3 days ago</p>', '<p>The king <b>died</b> 4 days ago</p>'],
  ['<p>Last outage: <b>3 days ago</b></p>', '<p>Last outage: <b>4 days ago</b></p>'],
  ['<p><b>Last outage:</b> 3 days ago</p>', '<p><b>Last outage:</b> 4 days ago</p>'],
  [
    '<p><span>Latest release</span> <span>3 days ago</span></p>',
    '<p><span>Latest release</span> <span>4 days ago</span></p>',
  ],
  ['<dl><dt>Accident</dt><dd>3 days ago</dd></dl>', '<dl><dt>Accident</dt><dd>4 days ago</dd></dl>'],
  ['<p>in 3 days</p>', '<p>in 4 days</p>'],
  ['<p>Posted by Ann 3 minutes ago</p>', '<p>Posted by Bob 3 minutes ago</p>'],
  ['<p>Ann · 3 minutes ago</p>', '<p>Bob · 3 minutes ago</p>'],
  ['<time datetime="PT30M">30 m</time>', '<time datetime="PT30M">40 m</time>'],
  ['<time datetime="2026-05-12T14:03:22Z">3h</time>', '<time datetime="2026-05-13T14:03:22Z">3h</time>'],
  ['<h2>3 days ago</h2>', '<h2>4 days ago</h2>'],
  ['<p>12 May 2026</p>', '<p>13 May 2026</p>'],
  ['<p>14:03</p>', '<p>14:04</p>'],
  // Next to the year.
  ['<p>© 2025 Acme</p>', '<p>© 2026 Acme</p>'],
  ['<footer>© 2025 Acme</footer>', '<footer>© 2025 Apex</footer>'],
  ['<footer>© 2001-2025 Acme</footer>', '<footer>© 2002-2025 Acme</footer>'],
  ['<main><footer>© 2025 Acme</footer></main>', '<main><footer>© 2026 Acme</footer></main>'],
  ['<footer><blockquote>© 2025 Acme</blockquote></footer>', '<footer><blockquote>© 2026 Acme</blockquote></footer>'],
  ['<footer>Copyright law of 1976 applies</footer>', '<footer>Copyright law of 1978 applies</footer>'],
  ['<footer>© Acme. Founded in 1998</footer>', '<footer>© Acme. Founded in 1999</footer>'],
  ['<footer>Founded 1998</footer>', '<footer>Founded 1999</footer>'],
  ['<article><footer>© 2025 Acme</footer></article>', '<article><footer>© 2026 Acme</footer></article>'],
  ['<footer>Published 2025</footer>', '<footer>Published 2026</footer>'],
  // Next to advertisements.
  ...[
    'header',
    'shadow',
    'download',
    'load',
    'breadcrumb',
    'address',
    'badge',
    'thread',
    'reader',
    'gradient',
    'adapter',
    'admin',
    'job-ad',
    'ad-details',
    'ads-free',
    'has-ads',
    'no-ads',
    'ad-card',
    'banner',
    'promo',
    'wanted-ads',
    'ad-title',
    'post-ad',
    'lead',
    'adult',
    'advice',
    'advent',
    'adventure',
    'road',
  ].map(
    (name): Case => [`<div class="${name}">Closed on Monday</div>`, `<div class="${name}">Closed on Tuesday</div>`],
  ),
  ...['add', 'spread', 'head', 'madrid'].map((name): Case => [`<p id="${name}">one</p>`, `<p id="${name}">two</p>`]),
  ['<div class="ad"><h2>Bicycle, nearly new</h2></div>', '<div class="ad"><h2>Bicycle, used</h2></div>'],
  [
    '<div class="ad">A</div><div class="ad">B</div><div class="ad">C</div>',
    '<div class="ad">A</div><div class="ad">B</div><div class="ad">D</div>',
  ],
  [
    '<div class="ads"><table><tr><td>1</td></tr></table></div>',
    '<div class="ads"><table><tr><td>2</td></tr></table></div>',
  ],
  [
    '<article class="advert-item">Boat for sale, call 030 123</article>',
    '<article class="advert-item">Boat for sale, call 030 124</article>',
  ],
  ['<div class="sponsored"><h1>The page</h1></div>', '<div class="sponsored"><h1>The other page</h1></div>'],
  [
    '<a href="https://ad.doubleclick.net/1">Terms of sale</a>',
    '<a href="https://ad.doubleclick.net/2">Terms of sale</a>',
  ],
  ['<a href="https://www.taboola.com/a">t</a>', '<a href="https://www.taboola.com/b">t</a>'],
  ['<img src="/pixel.png" width="100" height="1" alt="">', '<img src="/line.png" width="100" height="1" alt="">'],
  [
    '<div class="ad"><time datetime="2026-05-12">12 May</time></div>',
    '<div class="ad"><time datetime="2026-05-13">13 May</time></div>',
  ],
  [
    '<section id="advertisements"><p>We show few of them.</p></section>',
    '<section id="advertisements"><p>We show many of them.</p></section>',
  ],
  ['<h2 id="ads">Ads on this site</h2>', '<h2 id="ads">No ads on this site</h2>'],
  ['<div class="gpt-4">Limits: 40</div>', '<div class="gpt-4">Limits: 80</div>'],
  [
    '<section class="advertising"><p>Full page: 500</p></section>',
    '<section class="advertising"><p>Full page: 600</p></section>',
  ],
  ['<p class="copyright">© 2019 Penguin</p>', '<p class="copyright">© 2020 Penguin</p>'],
  // Next to scripts.
  [
    '<script>dataLayer.push(1);price.textContent="12"</script>',
    '<script>dataLayer.push(1);price.textContent="13"</script>',
  ],
  ['<link rel="preload" as="fetch" href="/data?v=1">', '<link rel="preload" as="fetch" href="/data?v=2">'],
  ['<script>f(1)</script>', '<script>f(2)</script>'],
  [`<script>app(${'1,'.repeat(300)}1);gtag("x")</script>`, `<script>app(${'1,'.repeat(300)}2);gtag("x")</script>`],
  [
    '<script>window.__INITIAL_STATE__={"price":1};dataLayer.push(1)</script>',
    '<script>window.__INITIAL_STATE__={"price":2};dataLayer.push(1)</script>',
  ],
  [
    '<script type="application/ld+json">{"nonce":"1"}</script>',
    '<script type="application/ld+json">{"nonce":"2"}</script>',
  ],
  ['<script>var s={a:{"timestamp":1718022334}}</script>', '<script>var s={a:{"timestamp":1718022399}}</script>'],
  ['<script>var s={"token":"blue"}</script>', '<script>var s={"token":"red"}</script>'],
  ['<script type="application/json">{"id":1}</script>', '<script type="application/json">{"id":2}</script>'],
  [
    '<script type="application/json">{"price":1,"csrf":"a"}</script>',
    '<script type="application/json">{"price":2,"csrf":"b"}</script>',
  ],
  ['<style>p{color:red}</style>', '<style>p{color:blue}</style>'],
  // Next to ids.
  [
    '<label for=":r1:">N</label><input id=":r1:"><input id=":r2:">',
    '<label for=":r2:">N</label><input id=":r1:"><input id=":r2:">',
  ],
  ['<p id="chapter-1">x</p>', '<p id="chapter-2">x</p>'],
  ['<a href="#chapter-1">x</a>', '<a href="#chapter-2">x</a>'],
  ['<p id="post-123456">x</p>', '<p id="post-123457">x</p>'],
  // Content for readers of all kinds.
  ['<img src="/a.png" alt="a cat">', '<img src="/a.png" alt="a dog">'],
  ['<a href="/a" title="one">x</a>', '<a href="/a" title="two">x</a>'],
  ['<p>$126.00</p>', '<p>$405.00</p>'],
  ['<p>dog bites man</p>', '<p>man bites dog</p>'],
  ['<table><tr><td>a</td></tr></table>', '<table><thead><tr><td>a</td></tr></thead></table>'],
  ['<p>You may enter.</p>', '<p>You may not enter.</p>'],
  ['<p>Version 2.1.0</p>', '<p>Version 2.1.1</p>'],
  ['<a href="mailto:a@b.example">mail</a>', '<a href="mailto:c@b.example">mail</a>'],
  ['<input type="checkbox" name="a">', '<input type="checkbox" name="a" checked>'],
  ['<iframe src="https://maps.example/a"></iframe>', '<iframe src="https://maps.example/b"></iframe>'],
  ['<video src="/a.mp4"></video>', '<video src="/b.mp4"></video>'],
  ['<p hidden>x</p>', '<p>x</p>'],
];

test('P14 a difference beside noise is a change', () => {
  const missed = REAL.filter(([before, after]) => !isChanged(page(before), page(after)));
  assert.deepEqual(missed, []);
});

test('P14 changes just outside the noise rules are changes', () => {
  const missed = BORDERLINE_CHANGES.filter(
    (text) => !isChanged(page(readSide(text, 'before')), page(readSide(text, 'after'))),
  );
  assert.deepEqual(missed, []);
});

test('P14 differences that were once wrongly called noise are changes', () => {
  const missed = REVIEWED_CHANGES.filter(([before, after]) => !isChanged(page(before), page(after)));
  assert.deepEqual(missed, []);
});

test('an unclosed element of an ad server or a counter does not hide the rest of the page', () => {
  const rest = (word: string) => `<p>Water is ${word}.</p>`.padEnd(400, ' ');
  for (const open of [
    '<video src="https://www.google-analytics.com/x">',
    '<object data-src="https://ad.doubleclick.net/x">',
    '<amp-ad type="a">',
    '<amp-img src="https://ad.doubleclick.net/x">',
    '<ins class="adsbygoogle" data-ad-slot="1">',
    '<div class="ad-slot">',
    '<a href="https://ad.doubleclick.net/x">',
  ]) {
    assert.ok(isChanged(page(open + rest('safe')), page(open + rest('unsafe'))), open);
  }
});

test('W17 in pages of well-known systems, no real change is called noise and nearly all noise is recognised', () => {
  const whole = (html: string) => (html.startsWith('<html') ? html : page(html));
  const wrong = PLATFORM_PAIRS.filter(
    ({ isNoise, before, after }) => isChanged(whole(before), whole(after)) === isNoise,
  );
  assert.deepEqual(
    wrong.filter(({ isNoise }) => !isNoise),
    [],
  );
  const noise = PLATFORM_PAIRS.filter(({ isNoise }) => isNoise).length;
  assert.ok(wrong.length <= noise * 0.05, wrong.map(({ before }) => before).join('\n'));
});

test('a change of the doctype is a change', () => {
  const rest = '<html><body><p>x</p></body></html>';
  assert.ok(isChanged(`<!DOCTYPE html>${rest}`, rest));
});
