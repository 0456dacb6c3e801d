/**
 * Sites with many URLs of one path pattern: honest ones, whose pages all have something to say, and endless ones, which
 * repeat themselves under ever new URLs.
 */
import { seededRandom } from '../random.ts';
import { type Behaviour, reply } from './local-web.ts';

export interface WideSite {
  /** The page of a path with query; null for none. */
  readonly page: (path: string) => string | null;
  /** Paths that a crawl must fetch; empty for an endless site. */
  readonly paths: () => string[];
}

export function serve({ page }: WideSite): Behaviour {
  return (visit) => {
    const body = page(visit.path);
    reply(body ?? 'not found', {}, body === null ? 404 : 200)(visit);
  };
}

const SYLLABLES = ['ka', 'lo', 'mi', 'ren', 'sta', 'tu', 'vel', 'or', 'an', 'desh', 'pi', 'quo', 'zan', 'fer', 'gil'];

/** Sentences that depend only on the number. */
function prose(seed: number, sentences: number): string {
  const random = seededRandom(19, seed);
  const word = () =>
    Array.from({ length: 2 + Math.floor(random() * 2) }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(
      '',
    );
  return Array.from({ length: sentences }, () => `${Array.from({ length: 9 }, word).join(' ')}.`).join(' ');
}

function numbersUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function linkTo(href: string, text: string): string {
  return `<li><a href="${href}">${text}</a></li>`;
}

function document(title: string, body: string): string {
  const menu = linkTo('/', 'Home') + linkTo('/about', 'About this site');
  return `<!doctype html><title>${title}</title><ul>${menu}</ul><h1>${title}</h1>${body}<footer>All rights reserved</footer>`;
}

/**
 * A forum: boards with lists of topics, `/viewforum.php?f=1&start=50`, and topics, `/viewtopic.php?t=N`. With `isKnownAhead`,
 * the first page links to all lists, so that all topics are known long before they are fetched.
 */
export function forum(topics: number, isKnownAhead: boolean): WideSite {
  const perList = 50;
  const lists = Math.ceil(topics / perList);
  const listPath = (n: number) => `/viewforum.php?f=1&start=${n * perList}`;
  return {
    page(path) {
      const [name, query = ''] = path.split('?');
      const parameters = new URLSearchParams(query);
      if (name === '/') {
        return document(
          'A forum',
          numbersUpTo(isKnownAhead ? lists : 1)
            .map((n) => linkTo(listPath(n), `page ${n}`))
            .join(''),
        );
      }
      if (name === '/viewforum.php') {
        const from = Number(parameters.get('start'));
        const shown = numbersUpTo(Math.min(perList, topics - from)).map((n) => from + n);
        const ahead = [1, 10].map((n) => from / perList + n).filter((n) => n < lists);
        return document(
          'A board',
          shown.map((n) => linkTo(`/viewtopic.php?t=${n}`, `Topic ${n}`)).join('') +
            ahead.map((n) => linkTo(listPath(n), 'more topics')).join(''),
        );
      }
      const topic = Number(parameters.get('t'));
      if (name !== '/viewtopic.php' || !(topic < topics)) return null;
      return document(`Topic ${topic}`, `<p>${prose(topic, 2)}</p><p>${prose(topic + 1e6, 1)}</p>`);
    },
    paths: () => ['/', ...numbersUpTo(lists).map(listPath), ...numbersUpTo(topics).map((n) => `/viewtopic.php?t=${n}`)],
  };
}

/**
 * A news archive: `/news/2024/17.html`, each with links to later articles. With `isKnownAhead`, the first page links to
 * lists of a hundred articles instead, so that all articles are known long before they are fetched.
 */
export function news(articles: number, isKnownAhead = false): WideSite {
  const perList = 100;
  const lists = numbersUpTo(isKnownAhead ? Math.ceil(articles / perList) : 0);
  const pathOf = (n: number) => `/news/2024/${n}.html`;
  const listPath = (n: number) => `/archive/${n}.html`;
  const linksTo = (all: readonly number[]) => all.filter((n) => n < articles).map((n) => linkTo(pathOf(n), 'more'));
  return {
    page(path) {
      if (path === '/') {
        const shown = isKnownAhead ? lists.map((n) => linkTo(listPath(n), `list ${n}`)) : linksTo([0]);
        return document('News', shown.join(''));
      }
      const list = Number(/^\/archive\/(\d+)\.html$/.exec(path)?.[1] ?? Number.NaN);
      if (list < lists.length) {
        return document(`List ${list}`, linksTo(numbersUpTo(perList).map((n) => list * perList + n)).join(''));
      }
      const n = Number(/^\/news\/2024\/(\d+)\.html$/.exec(path)?.[1] ?? Number.NaN);
      if (!(n < articles)) return null;
      const near = isKnownAhead ? [] : linksTo([n + 1, n + 20, n + 400]);
      return document(`News of day ${n}`, `<p>${prose(n, 3)}</p>${near.join('')}`);
    },
    paths: () => ['/', ...lists.map(listPath), ...numbersUpTo(articles).map(pathOf)],
  };
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'];
const FILTERS = ['red', 'blue', 'green', 'small', 'large', 'cotton', 'wool', 'cheap', 'new', 'sale', 'long', 'short'];

/** Each begins at `/` and never ends. */
export const ENDLESS_SPACES = {
  /** A calendar with the next and the previous month. */
  calendar: (path) => {
    const [year = 2024, month = 0] = (/^\/calendar\/(\d+)\/(\d+)$/.exec(path) ?? []).slice(1).map(Number);
    const at = year * 10 + month;
    const to = (n: number, text: string) => linkTo(`/calendar/${Math.floor(n / 10)}/${n % 10}`, text);
    const days = numbersUpTo(28).map((day) => `<td>${day + 1}</td>`);
    return document(`${MONTHS[month]} ${year}`, to(at + 1, 'next') + to(at - 1, 'previous') + days.join(''));
  },
  /** Facets: any combination of filters, in any order, shows some of the same thirty items. */
  facets: (path) => {
    const chosen = (new URLSearchParams(path.split('?')[1] ?? '').get('filters') ?? '').split('.').filter(Boolean);
    const items = numbersUpTo(30).filter((n) => chosen.every((_, i) => (n + i) % 3 !== 0));
    const listed = items.map((n) => linkTo(`/item/${n}`, prose(n, 1))).join('');
    const more = FILTERS.filter((name) => !chosen.includes(name)).map((name) => [...chosen, name].join('.'));
    return document('Our shop', listed + more.map((all) => linkTo(`/shop?filters=${all}`, 'filter')).join(''));
  },
  /** Every page adds a directory to its own address. */
  paths: (path) => document('A folder', linkTo(`${path.endsWith('/') ? path : `${path}/`}d${path.length}/`, 'deeper')),
  /** Every visit gets new links with another id, to the same few pages. */
  sessions: (path) => {
    const random = seededRandom(...[...path].map((letter) => letter.charCodeAt(0)));
    const id = () => Math.floor(random() * 1e9).toString(36);
    const to = (name: string) => linkTo(`/${name}?visitor=${id()}`, `page ${name}`);
    return document('The same page', ['one', 'two', 'three'].map(to).join(''));
  },
  /** A pager that shows its last page under all higher numbers. */
  pager: (path) => {
    const page = Number(path.split('=')[1] ?? 0);
    const shown = numbersUpTo(10).map((n) => linkTo(`/item/${n}`, prose(Math.min(page, 5) * 10 + n, 1)));
    return document(
      'A list',
      shown.join('') + linkTo(`/list?page=${page + 1}`, 'next') + linkTo(`/list?page=${page + 2}`, 'after'),
    );
  },
} as const satisfies Readonly<Record<string, (path: string) => string>>;

export function endless(name: keyof typeof ENDLESS_SPACES): WideSite {
  return {
    page: (path) =>
      path.startsWith('/item/') || path === '/about' ? document('An item', 'text') : ENDLESS_SPACES[name](path),
    paths: () => [],
  };
}
