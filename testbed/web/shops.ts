/**
 * Five shops in which a query parameter matters on few items only. `contentOf` is the page of a path with query; null
 * means 404. `paths` are the URLs to which the shop links.
 */
export interface Shop {
  readonly paths: readonly string[];
  readonly contentOf: (path: string) => string | null;
}

type Parameters = URLSearchParams;

function shop(
  items: number,
  queries: (item: number) => readonly string[],
  contentOf: (item: number, given: Parameters) => string | null,
): Shop {
  const numbers = Array.from({ length: items }, (_, i) => i + 1);
  return {
    paths: numbers.flatMap((item) => queries(item).map((query) => `/item/${item}${query}`)),
    contentOf(path) {
      const [name = '', query = ''] = path.split('?');
      return contentOf(Number(name.slice('/item/'.length)), new URLSearchParams(query));
    },
  };
}

const COLOURS = ['red', 'blue', 'green'];
const LINKS = [
  '',
  '?utm_source=google',
  '?utm_source=mail',
  '?color=red',
  '?color=blue',
  '?utm_source=google&color=red',
];

export const SHOPS: Readonly<Record<string, Shop>> = {
  /** The colour matters on the last two of ten items. */
  'colour on two items': shop(
    10,
    (item) => (item > 8 ? ['', ...COLOURS.map((colour) => `?color=${colour}`)] : LINKS),
    (item, given) => `item ${item}${item > 8 && given.has('color') ? ` in ${given.get('color')}` : ''}`,
  ),
  /** The item with colours is linked with a campaign, too: no two of its URLs differ in one parameter only. */
  'colour behind a campaign': shop(
    8,
    (item) =>
      item === 8
        ? ['?utm_source=google&color=blue', '', '?utm_source=mail&color=red', '?utm_source=post&color=green']
        : LINKS,
    (item, given) => `item ${item}${item === 8 && given.has('color') ? ` in ${given.get('color')}` : ''}`,
  ),
  /** The size matters only together with one colour. */
  'size of one colour': shop(
    8,
    (item) =>
      item === 8
        ? ['', '?color=red', '?color=red&size=s', '?color=red&size=l', '?size=s', '?size=l']
        : ['', '?size=s', '?size=l', '?color=red', '?color=red&size=s'],
    (item, given) => {
      const isSpecial = item === 8 && given.get('color') === 'red' && given.has('size');
      return `item ${item}${isSpecial ? ` of size ${given.get('size')}` : ''}`;
    },
  ),
  /** One item exists only with a currency. */
  'item with a currency only': shop(
    8,
    (item) =>
      item === 8
        ? ['', '?currency=eur', '?currency=usd', '?currency=gbp&ref=a']
        : ['', '?currency=eur', '?currency=usd', '?ref=a', '?currency=gbp&ref=a'],
    (item, given) => {
      if (item < 8) return `item ${item}`;
      return given.has('currency') ? `item 8 for ${given.get('currency')}` : null;
    },
  ),
  /** One item has several pages of reviews, and its plain URL is never linked. */
  'pages of one item': shop(
    8,
    (item) =>
      item === 8
        ? ['?reviews=1', '?reviews=2', '?reviews=3&ref=a', '?reviews=4&ref=b']
        : ['', '?reviews=1', '?reviews=2', '?ref=a', '?ref=b', '?reviews=1&ref=a'],
    (item, given) => `item ${item}${item === 8 ? ` with reviews ${given.get('reviews') ?? 1}` : ''}`,
  ),
};
