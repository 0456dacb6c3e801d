/**
 * A copy that was refreshed several times: pages with new words, with a value that changes at every visit, with noise,
 * that were gone and are back, an image and a plain text.
 */
import type { GivenOptions } from '../../../src/core/options/options.ts';
import { type LivingSite, startLivingSite } from '../../../testbed/web/living-site.ts';
import { pngOf } from '../../../testbed/web/picture-files.ts';
import { crawlHere } from '../crawl-here.ts';
import { refreshHere } from '../refresh/refresh-here.ts';
import { edit } from '../stored-crawl.ts';

export const ROUNDS = 7;
const PATHS = ['/words', '/spinning', '/noisy', '/back', '/plain.txt', '/still'];

const page = (title: string, ...parts: readonly string[]): string =>
  `<!doctype html><title>${title}</title><main><h1>${title}</h1><p>An orb web has about thirty radii.</p>
  ${parts.join('\n')}</main><img src="/logo.png" alt="">`;

export function setRound(site: LivingSite, round: number): void {
  const links = PATHS.map((path) => `<a href="${path}">${path}</a>`);
  site.set('/', page('Front', ...links));
  site.set('/words', page('Words', `<p>The ${'quick '.repeat(round + 1)} fox has jumped ${round} times.</p>`));
  site.set('/spinning', page('Spinning', `<p class="visits">Visitors so far: ${1_000 + 37 * round}</p>`));
  site.set('/noisy', page('Noisy', `<script nonce="n${round}x8f3a9c2b">start()</script>`));
  site.set('/plain.txt', `One line.\nAnother line ${round}.`, 'text/plain');
  site.set('/still', page('Still'));
  site.set(
    '/logo.png',
    pngOf(40, 30, (x, y) => (x * (round + 2) + y * 5) % 256),
    'image/png',
  );
  if (round === 2 || round === 3) site.pages.set('/back', { status: 410 });
  else site.set('/back', page('Back', `<p>Edition ${round < 2 ? 1 : 2}.</p>`));
}

export async function describedCopy(
  t: { after(callback: () => Promise<void>): void },
  dir: string,
  given: GivenOptions = {},
): Promise<LivingSite> {
  const site = await startLivingSite(t);
  setRound(site, 0);
  await crawlHere(dir, [site.web.url('/')], { patience: '0s', images: true });
  for (let round = 1; round <= ROUNDS; round++) {
    setRound(site, round);
    describeAtVisits(dir);
    // A page that is gone is visited again at the longest interval.
    await refreshHere(dir, { ...(round === 4 && { maxInterval: '1ms' }), ...given });
  }
  return site;
}

/** Without the regions of the earlier version, a visit compares both versions and describes the change at once. */
export function describeAtVisits(dir: string): void {
  edit(dir, 'UPDATE pages SET regions = NULL');
}

/** Removes descriptions, as if the visits had left them out. */
export function undescribe(dir: string, above = 0): void {
  edit(dir, 'UPDATE changes SET change = NULL WHERE seq > ?', above);
}
