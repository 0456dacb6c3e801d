/**
 * Describes what is ignored as noise on the pages of a host, and why. Text from the web is made safe for a terminal.
 */

import { plural, safeText, timeText } from '../../core/text/readable.ts';
import type { NoiseRegion, PageNoise } from '../page-noise.ts';

export function noiseSentences(noise: PageNoise | null): string[] {
  if (noise === null) return [];
  const { secondLooks, regions } = noise;
  const looked =
    secondLooks === 0 ? [] : [`To find noise, ${plural(secondLooks, 'page')} of its host were fetched twice.`];
  if (regions.length === 0) return looked;
  return [
    ...looked,
    'Differences in these regions of the pages of its host are ignored (--no-learn-noise reports them):',
    ...regions.flatMap(regionLines),
  ];
}

function regionLines({ path, proof, pages, looks, since, ignoredHere }: NoiseRegion): string[] {
  const evidence =
    proof === 'double-look'
      ? `it differed within a moment, on ${plural(pages, 'page')}`
      : `it differed at nearly every visit, on ${plural(pages, 'page')} in ${plural(looks, 'visit')}`;
  const line = `  ${safeText(path)}: ${evidence}; since ${timeText(since.getTime())}`;
  return ignoredHere === null ? [line] : [line, `    here: "${safeText(ignoredHere)}"`];
}
