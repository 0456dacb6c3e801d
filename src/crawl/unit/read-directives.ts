/** What a page asks of crawlers: X-Robots-Tag and meta robots (W15). */
import type { ParsedPage } from '../../page/parsed-page.ts';
import { type PageDirectives, parseRobotsDirectives } from '../../robots/page-directives.ts';

const NO_DIRECTIVES: PageDirectives = { noindex: false, nofollow: false };

export function readDirectives(
  rawHeaders: readonly string[],
  metaRobots: ParsedPage['metaRobots'],
  productToken: string,
  nowMs: number,
): PageDirectives {
  const xRobotsTag: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 12 && name.toLowerCase() === 'x-robots-tag') xRobotsTag.push(rawHeaders[i + 1]!);
  }
  if (xRobotsTag.length === 0 && metaRobots.length === 0) return NO_DIRECTIVES;
  return parseRobotsDirectives({ xRobotsTag, metaRobots }, productToken, nowMs);
}
