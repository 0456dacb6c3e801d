import { readLinks } from '../../copy/read-links.ts';
import { requireUrl, URL_ARGUMENT } from './find-page.ts';
import { COUNT, counted, listOf, readingTool, TEXT } from './tool.ts';
import { fitting, line, title, url } from './web-text.ts';

const MOST_CHARS = 20_000;
const MOST_ANCHOR_CHARS = 200;

export const pageLinksTool = readingTool({
  name: 'page_links',
  title: 'Links of a page',
  about:
    'Lists the pages that link to a page (from, the most important first) and the URLs that it links to (to, in the ' +
    'order in which they were found), with titles and link texts.',
  onlyReads: true,
  table: {
    url: URL_ARGUMENT,
    direction: { kind: 'word', about: 'which links', words: ['both', 'to', 'from'] },
    limit: { kind: 'count', about: 'number of links in each direction', least: 1, most: 50, usual: 20 },
  },
  facts: { linksToPage: COUNT, linksFromPage: COUNT },
  web: {
    url: TEXT,
    from: listOf({ url: TEXT, title: TEXT, anchor: TEXT }),
    to: listOf({ url: TEXT, title: TEXT, anchor: TEXT }),
  },
  async run({ store, place }, { url: asked, direction, limit }) {
    const record = await requireUrl(store, asked);
    const wanted = { from: direction === 'to' ? 0 : limit, to: direction === 'from' ? 0 : limit };
    const { backlinks, forwardLinks, ...links } = await readLinks(store, place, record, wanted);
    const [from, to] = [links.from, links.to].map((side) =>
      fitting(
        side.map((link) => ({
          url: url(link.url),
          title: title(link.title),
          anchor: line(link.anchor ?? '', MOST_ANCHOR_CHARS),
        })),
        MOST_CHARS,
      ),
    ) as [Link[], Link[]];
    const says = [
      ...(wanted.from === 0 ? [] : [`${counted(backlinks, 'link')} to this page; ${from.length} shown.`]),
      ...(wanted.to === 0 ? [] : [`${counted(forwardLinks, 'link')} of this page; ${to.length} shown.`]),
    ];
    return {
      facts: { linksToPage: backlinks, linksFromPage: forwardLinks },
      says,
      web: { url: url(record.url), from, to },
      webText: [
        ...(wanted.from === 0 ? [] : ['Links to the page:', ...from.map(linkLine)]),
        ...(wanted.to === 0 ? [] : ['Links of the page:', ...to.map(linkLine)]),
      ].join('\n'),
    };
  },
});

interface Link {
  readonly url: string;
  readonly title: string;
  readonly anchor: string;
}

function linkLine({ url, title, anchor }: Link): string {
  return `- ${title}\n  ${url}${anchor === '' ? '' : `\n  link text: ${anchor}`}`;
}
