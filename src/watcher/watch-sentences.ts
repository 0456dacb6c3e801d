/** What the watcher says to its owner: what it serves where, and what is left to do. Settings and status in, lines out. */
import { groupedDigits } from '../core/grouped-digits.ts';
import type { WatchSettings } from './watch-settings.ts';
import { listenAddress } from './watch-values.ts';
import type { WatcherStatus } from './watcher.ts';

const REPORT_PATH = '/.well-known/orbweaver-report';

export function readyLines(
  settings: WatchSettings,
  { listening, sites }: WatcherStatus,
  when: 'started' | 'ready' | 'once',
): string[] {
  const place = settings.sites.length === 1 ? settings.sites[0]!.site : `${settings.sites.length} sites`;
  if (when === 'started') {
    return listening === null ? [] : [`serving reports of ${place} on ${listening}${REPORT_PATH}`];
  }
  return sites.flatMap(({ site, pages, changes }) => {
    const { roots, writeFiles } = settings.sites.find((each) => each.site === site)!;
    const folders = roots.map(({ folder }) => folder).join(', ');
    const found = `${site}: ${groupedDigits(pages)} pages${folders === '' ? '' : ` in ${folders}`}, ${groupedDigits(changes)} changes so far`;
    const isServed = writeFiles || listenAddress(settings.listen) !== null;
    if (when === 'once' || !isServed) return [found];
    const how = writeFiles ? 'written into the web root' : 'to be passed on by the web server';
    return [found, `  report ${how}; add to ${site}/robots.txt: Orbweaver-Report: ${site}${REPORT_PATH}`];
  });
}

export function progressText({ sites }: WatcherStatus): string {
  const done = sites.filter(({ isComplete }) => isComplete).length;
  const looked = sites.reduce((sum, { looked: each }) => sum + each, 0);
  const all = sites.length === 1 ? sites[0]!.site : `${done} of ${sites.length} sites`;
  return `first sweep: ${groupedDigits(looked)} files looked at; reports are given when it is done (--first-cpu 50% is quicker)  ${all}`;
}
