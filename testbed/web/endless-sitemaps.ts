/** A site whose sitemaps and feeds refer to new ones without end: every answer names new URLs. */
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Behaviour, type LocalWeb, reply, startWeb } from './local-web.ts';

const XML = { 'content-type': 'application/xml' };

/** Each kind begins with one URL, and each of its answers leads to new URLs. */
export const ENDLESS = ['index', 'gzip', 'moved', 'list', 'feed', 'paged', 'wide', 'variant'] as const;
export type Endless = (typeof ENDLESS)[number];

export interface EndlessSite {
  readonly web: LocalWeb;
  /** Number of requests for one kind so far. */
  asked(kind: Endless): number;
}

export async function startEndlessSite(t: TestContext, kinds: readonly Endless[] = ENDLESS): Promise<EndlessSite> {
  const web = await startWeb();
  t.after(() => web.close());
  let given = 0;
  // Only letters, because numbers would make a path pattern, which has its own budget.
  const name = (kind: string): string =>
    web.url(`/${kind}/${[...String(given++).padStart(6, '0')].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`);
  const index = (...urls: string[]): string =>
    `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
  const behaviours: Record<Endless, Behaviour> = {
    // Also names itself and the first URL, which are known.
    index: (visit) =>
      reply(index(web.url(visit.path), web.url('/index/first'), name('index'), name('index')), XML)(visit),
    gzip: (visit) => reply(gzipSync(index(`${name('gzip')}.xml.gz`)), { 'content-type': 'application/gzip' })(visit),
    moved: (visit) =>
      visit.path.startsWith('/moved/to')
        ? reply(index(name('moved')), XML)(visit)
        : reply('', { location: `${name('moved').replace('/moved/', '/moved/to')}` }, 302)(visit),
    list: (visit) => reply(`<urlset><url><loc>${name('list')}</loc></url></urlset>`, XML)(visit),
    feed: (visit) =>
      reply(`<feed><entry><title>x</title><link href="${name('feed')}"/></entry></feed>`, {
        'content-type': 'application/atom+xml',
      })(visit),
    paged: (visit) =>
      reply(`<feed><link rel="next" href="${name('paged')}"/></feed>`, { 'content-type': 'application/atom+xml' })(
        visit,
      ),
    wide: (visit) => reply(index(...Array.from({ length: 40 }, () => name('wide'))), XML)(visit),
    variant: (visit) => reply(`<urlset><url><loc>${name('variant')}?utm=1</loc></url></urlset>`, XML)(visit),
  };
  for (const kind of ENDLESS) web.on(`/${kind}/*`, behaviours[kind]);
  const lines = kinds.map((kind) => `Sitemap: ${web.url(`/${kind}/first`)}${kind === 'gzip' ? '.xml.gz' : ''}`);
  web.on('/robots.txt', reply(lines.join('\n'), { 'content-type': 'text/plain' }));
  web.on('/', reply('<title>front</title><a href="/page">a page</a>'));
  web.on('/page', reply('<title>page</title>A page that says something.'));
  return {
    web,
    asked: (kind) => web.ledger.entries.filter(({ path }) => path.startsWith(`/${kind}/`)).length,
  };
}
