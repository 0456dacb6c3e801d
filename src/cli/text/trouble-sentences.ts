/**
 * Says at the end of a run why seeds have no page and hosts give no answer, and what to do about it. Text from the web
 * is made safe for a terminal.
 */
import type { Reason } from '../../core/reasons.ts';
import { count, plural, safeText, timeText, why } from '../../core/text/readable.ts';
import type { CrawlSummary } from '../../crawl/crawl-summary.ts';
import type { HostTrouble, SeedTrouble, TroubledRequest } from '../../crawl/run-troubles.ts';
import { NEVER_REACHED } from '../../fetch/retry.ts';

const MOST_SHOWN = 10;

/** Advice to the user for each reason. */
const ADVICE: Readonly<Partial<Record<Reason, string>>> = {
  'dns-failed': 'check the spelling of the host name and your network',
  'connect-failed': 'check the port, and whether the server is running',
  'connect-timeout': 'check your network and its firewall, or raise --connect-timeout',
  'tls-failed': 'open the site in a browser to see what is wrong with its certificate',
  'headers-timeout': 'try again later, or raise --headers-timeout',
  'proxy-failed': 'check --proxy',
  'private-address': 'add --allow-private if you trust the site',
  'robots-disallowed': 'ask the owner of the site for permission; --ignore-robots is for your own sites',
  'rate-limited': 'wait until then, and set a longer --delay',
  'not-found': 'check the URL in a browser',
  gone: 'check the URL in a browser',
  'client-error': 'check the URL in a browser',
  'bad-redirect': 'check the URL in a browser',
  'redirect-loop': 'check the URL in a browser; the site may want a cookie or a login',
  forbidden: 'the site may want a login or another client: see --auth, --header and --user-agent',
  'out-of-scope': 'start from the URL that it redirects to, or widen --scope',
  excluded: 'start from the URL that it redirects to, or change --include and --exclude',
};
const OTHERWISE = 'try again later';

/** The lines about seeds without a page. If the crawl failed, these are all its seeds. */
export function seedSentences({ ending, seedTroubles, waiting }: CrawlSummary, again: string): string[] {
  const shown = seedTroubles.slice(0, MOST_SHOWN);
  const more = seedTroubles.length - shown.length;
  const next = waiting > 0 ? triesAgain(seedTroubles) : 'A URL that was refused for good is not tried again.';
  return [
    ...shown.flatMap((seed) => [
      `  ${seedSentence(seed)}`,
      `    What to do: ${adviceOn(seed)}. More: orbweaver explain ${seed.url} ${again}`,
    ]),
    ...(more > 0 ? [`  … and ${plural(more, 'more seed')}`] : []),
    ...(ending === 'failed' ? [next] : []),
  ];
}

/** A host that could not be reached is asked at once by the next run. Any other host has asked for a pause. */
function triesAgain(seeds: readonly SeedTrouble[]): string {
  const waiting = seeds.filter(({ state }) => state === 'waiting');
  const times = waiting.map(({ reason, nextTryAt }) =>
    nextTryAt === null || NEVER_REACHED.some((each) => each === reason) ? 0 : Date.parse(nextTryAt),
  );
  const atMs = Math.min(...times);
  return `The same command tries again${atMs > Date.now() && atMs < Infinity ? ` after ${timeText(atMs)}` : ''}.`;
}

function seedSentence({ url, redirectedTo, state, reason, request, nextTryAt }: SeedTrouble): string {
  const seed = redirectedTo === null ? safeText(url) : `${safeText(url)} → ${safeText(redirectedTo)}`;
  if (reason === null) return `${seed}: ${state}`;
  return `${seed}: ${about(request)}${why(reason)}${nextTry(nextTryAt)}`;
}

/** The lines about hosts that gave no answer and have to be asked again. */
export function hostSentences(troubles: readonly HostTrouble[], withAdvice = false): string[] {
  return troubles.map((trouble) => {
    const { host, reason, request, waiting, nextTryAt } = trouble;
    const urls = waiting === 0 ? '' : ` (${plural(waiting, 'URL')} waiting)`;
    const advice = withAdvice ? ` What to do: ${adviceOn(trouble)}.` : '';
    return `  ${safeText(host)}${urls}: ${about(request)}${why(reason)}${nextTry(nextTryAt)}.${advice}`;
  });
}

/** The hosts in trouble with waiting URLs, without the hosts of seeds that are listed already. */
export function waitingHostSentences({ hostTroubles, seedTroubles }: CrawlSummary): string[] {
  const seeds = seedTroubles.map(({ url, redirectedTo }) => redirectedTo ?? url);
  const isListed = ({ host }: HostTrouble) => seeds.some((url) => url.startsWith(`${host}/`));
  return hostSentences(hostTroubles.filter((trouble) => trouble.waiting > 0 && !isListed(trouble)));
}

/** `5 failed (2 of them are tried again: server-error 2), 7 skipped, 3 waiting`. */
export function leftOutSentence({ failed, retrying, retryReasons, skipped, waiting }: CrawlSummary): string {
  const reasons = Object.entries(retryReasons).map(([reason, urls]) => `${reason} ${count(urls)}`);
  const are = retrying === 1 ? 'is' : 'are';
  const again = retrying === 0 ? '' : ` (${count(retrying)} of them ${are} tried again: ${reasons.join(', ')})`;
  return `${count(failed)} failed${again}, ${count(skipped)} skipped, ${count(waiting)} waiting`;
}

function adviceOn({ reason }: { readonly reason: Reason | null }): string {
  return (reason !== null && ADVICE[reason]) || OTHERWISE;
}

/** Names the request that the reason belongs to, if it is not the page itself. */
export function about(request: TroubledRequest): string {
  if (request === 'page') return '';
  return request === 'host' ? 'its host gave no answer: ' : 'the robots.txt of its host could not be read: ';
}

function nextTry(at: string | null): string {
  return at === null ? '' : `; next try after ${timeText(Date.parse(at))}`;
}
