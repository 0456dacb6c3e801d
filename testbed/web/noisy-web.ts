/**
 * A site whose pages differ at every look without meaning: teasers and a list of what is read most rotate, house
 * advertisements take turns, and a counter counts its visitors. A test edits the own content of a page, and adds pages
 * that misbehave: they try to train us to ignore what their readers want to know.
 */
import { randomBelow, seededRandom } from '../random.ts';
import { type LocalWeb, startWeb } from './local-web.ts';

/** Makes a page for the look with this number. The looks at a page have consecutive numbers. */
export type PageMaker = (look: number) => string;

export interface NoisyWeb {
  readonly web: LocalWeb;
  /** The paths of the stories. */
  readonly stories: readonly string[];
  /** Replaces the own text of a story. */
  edit(path: string, text: string): void;
  /** Adds or replaces a page of any kind. */
  serve(path: string, make: PageMaker): void;
  /** The number of requests for a path since the last call of `forget`. */
  asked(path: string): number;
  forget(): void;
}

const WORDS = 'river harbour valley orchard lantern meadow castle winter garden market forest bridge'.split(' ');
const TITLES = 24;
const TEXT_WORDS = 14;
/** The distance between the first looks at two pages. */
const APART = 5;

export async function startNoisyWeb(
  t: { after(callback: () => Promise<void>): void },
  stories: number,
): Promise<NoisyWeb> {
  const web = await startWeb();
  t.after(() => web.close());
  const looks = new Map<string, number>();
  const asked = new Map<string, number>();
  const pages = new Map<string, PageMaker>();
  const edit = (path: string, text: string): void => {
    pages.set(path, (look) => storyPage(Number(path.slice(path.lastIndexOf('/') + 1)), text, look));
  };
  const paths = Array.from({ length: stories }, (_, at) => `/story/${at}`);
  for (const [at, path] of paths.entries())
    edit(path, `The ${wordsOf(seededRandom(at), TEXT_WORDS)} were seen by all.`);
  /** Each page counts its own looks, so nothing depends on the order in which requests arrive. */
  const lookAt = (path: string): number => {
    const look = (looks.get(path) ?? APART * [...pages.keys()].indexOf(path)) + 1;
    looks.set(path, look);
    return look;
  };
  web.on('/*', ({ path, response }) => {
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const make = path === '/' ? () => frontPage([...pages.keys()]) : pages.get(path);
    if (make === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(make(lookAt(path)));
  });
  return {
    web,
    stories: paths,
    edit,
    serve: (path, make) => pages.set(path, make),
    asked: (path) => asked.get(path) ?? 0,
    forget: () => asked.clear(),
  };
}

function frontPage(paths: readonly string[]): string {
  const links = paths.map((path) => `<p><a href="${path}">${path}</a></p>`).join('');
  return `<!doctype html><title>Gazette</title><body><main><h1>Gazette</h1>${links}</main>`;
}

function storyPage(story: number, text: string, look: number): string {
  return noisyPage(`<article><h1>${titleOf(story)}</h1><p>${text}</p></article>`, titleOf(story), look);
}

/** A page with this own content, and with the noise of the site. */
export function noisyPage(own: string, title: string, look: number): string {
  // Two looks differ in each part, unless their numbers are equal modulo `TITLES` or the number of words.
  const link = (step: number): string => {
    // The stories themselves have other titles.
    const to = TITLES + ((look * step) % TITLES);
    return `<a href="/archive/${to}">${titleOf(to)}</a>`;
  };
  return `<!doctype html><html><head><title>${title}</title></head><body>
    <nav class="menu"><a href="/">Gazette</a></nav><main>${own}</main>
    <aside class="side"><div class="teaser">${link(5)}</div>
    <ol class="most-read"><li>${link(7)}</li><li>${link(11)}</li><li>${link(13)}</li></ol>
    <div class="ad-slot"><a href="/offers">Visit the ${WORDS[(look * 5) % WORDS.length]}</a></div></aside>
    <footer class="foot"><p class="count">Visitors: <b>${48_000 + look * 3}</b></p></footer></body></html>`;
}

function titleOf(story: number): string {
  return `${wordsOf(seededRandom(story, 1), 4)} number ${story}`;
}

function wordsOf(random: () => number, count: number): string {
  return Array.from({ length: count }, () => WORDS[randomBelow(random, WORDS.length)]).join(' ');
}
