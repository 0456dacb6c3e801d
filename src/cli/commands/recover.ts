/**
 * `orbweaver recover [files...]`: rebuilds the state of a crawl from its archive, and
 * imports WARC files of other tools.
 */
import { OrbweaverError } from '../../core/errors.ts';
import type { RecoverProgress } from '../../core/events.ts';
import { count, plural } from '../../core/text/readable.ts';
import { type RecoverSummary, startRecovery } from '../../recover/recover.ts';
import { COMMON_FLAGS, type Command, CRAWL_FLAGS, parseArguments, switchFlag } from '../arguments.ts';
import { PLACE_FLAGS, resolveCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { clockText, showEvents } from '../progress.ts';
import { EXIT_INTERRUPTED, untilStopped } from '../until-stopped.ts';

/** Options that decide how archived pages are interpreted. Options about sending requests would have no effect here. */
const RULE_FLAGS = [
  'scope',
  'include',
  'exclude',
  'depth',
  'images',
  'assets',
  'guess',
  'max-body',
  'archive-file',
] as const;

export const command: Command = {
  help: {
    usage: 'orbweaver recover [WARC files or folders...] [flags]',
    about: `Rebuilds the state of a crawl (URLs, pages, links, versions) from the archive in the data folder. Use it if crawl.db was
lost, emptied or damaged, or if the archive has files that the database does not know. An unusable database is renamed,
never deleted, and archive files are only read. If the database is in order, only missing records are added.
With files or folders it imports WARC files of other tools (wget, Heritrix, browsertrix, warcio) into a new or an
existing copy. It can be stopped and killed at any time: the same command continues where it stopped.`,
    examples: [
      'orbweaver recover --dir docs-copy',
      'orbweaver recover --dir docs-copy --seed https://docs.example/ --scope prefix',
      'orbweaver recover --dir imported site.warc.gz another-crawl/',
      'orbweaver recover --dir docs-copy --rebuild --json',
    ],
    flags: {
      ...PLACE_FLAGS,
      seed: {
        hint: '<url>',
        help: 'seed of the crawl, if neither the database nor the archive knows it; may be repeated',
        several: true,
      },
      rebuild: {
        hint: '',
        help: 'rebuild the state from the archive alone, even if the database seems to be in order',
      },
      ...COMMON_FLAGS,
      ...Object.fromEntries(RULE_FLAGS.map((flag) => [flag, CRAWL_FLAGS[flag]!])),
    },
  },

  async run(words) {
    const args = parseArguments('recover', words, command.help.flags);
    const { place, sources, again } = await resolveCrawl(args);
    if (place.cluster !== null) {
      throw new OrbweaverError(
        'ERR_USAGE',
        'orbweaver recover works only on a data folder; recover without --store, then crawl into the database from the seeds',
      );
    }
    const seeds = [args.flags.seed ?? []].flat().map(String);
    const request = { dir: place.dir, files: args.words, seeds, sources, rebuild: switchFlag(args, 'rebuild') };
    const summary = await untilStopped(
      startRecovery(request),
      showEvents(process.stderr, 'recover/progress', progressText),
    );
    if (switchFlag(args, 'json')) printJson(summary);
    else printLines(sentences(summary, again));
    return summary.ending === 'interrupted' ? EXIT_INTERRUPTED : 0;
  },
};

const STEP_WORDS = { import: 'importing', list: 'listing', add: 'adding' } as const;

function progressText({ elapsedMs, step, records, ofRecords }: RecoverProgress): string {
  const all = ofRecords === null ? '' : ` of ${count(ofRecords)}`;
  return `${clockText(elapsedMs)}  ${STEP_WORDS[step]}  ${count(records)}${all} records`;
}

function sentences(summary: RecoverSummary, again: string): string[] {
  const { ending, rebuilt, movedTo, added, older, known, pages, duplicates, urls, waiting, seconds, peakRssMb } =
    summary;
  const ended = ending === 'interrupted' ? 'Interrupted, all saved' : rebuilt ? 'Rebuilt' : 'Done';
  return [
    `${ended}: ${plural(added + older, 'response')} of ${plural(summary.archiveFiles, 'archive file')} added in ${seconds.toFixed(1)} s ` +
      `(${peakRssMb} MB of memory); ${count(known)} were already known`,
    `The copy has ${plural(pages, 'page')}, ${plural(duplicates, 'duplicate')} and ${plural(urls, 'URL')}; ${count(waiting)} wait to be fetched`,
    ...(older > 0
      ? [`${count(older)} responses are older than the known ones; they are in the history of their pages`]
      : []),
    ...importLines(summary),
    ...damageLines(summary),
    ...(movedTo === null ? [] : [`The old database is kept as ${movedTo}`]),
    ...(summary.seedsGuessed
      ? [`The seeds of the crawl are unknown; ${summary.seeds.join(' ')} is used as its seed (--seed names another)`]
      : []),
    ending === 'interrupted' ? `Continue: orbweaver recover ${again}` : `Look at it: orbweaver status ${again}`,
  ];
}

function importLines({ imported }: RecoverSummary): string[] {
  if (imported === null) return [];
  const { files, badFiles, answers, known, otherTypes, leftOut, wrongDigests, guessedDates, wrongLengths, damaged } =
    imported;
  const remarks = [
    ...Object.entries(leftOut).map(([why, n]) => `${count(n)} left out (${why})`),
    ...Object.entries(otherTypes).map(([type, n]) => `${count(n)} ${type} records skipped`),
    ...(wrongDigests > 0 ? [`${count(wrongDigests)} with a wrong digest`] : []),
    ...(guessedDates > 0 ? [`${count(guessedDates)} without a usable date`] : []),
    ...(wrongLengths > 0 ? [`${count(wrongLengths)} with a wrong length`] : []),
    ...(damaged > 0 ? [`${plural(damaged, 'damaged section')} skipped`] : []),
    ...(badFiles > 0 ? [`${count(badFiles)} files could not be read`] : []),
  ];
  return [
    `Imported ${plural(answers, 'response')} from ${plural(files, 'file')}; ${count(known)} were already in the copy`,
    ...(remarks.length === 0 ? [] : [`  ${remarks.join(', ')}`]),
  ];
}

function damageLines({ damaged, unreadable, withoutPayload }: RecoverSummary): string[] {
  return [
    ...(damaged > 0 ? [`${count(damaged)} damaged sections of archive files were skipped`] : []),
    ...(unreadable > 0 ? [`${count(unreadable)} records could not be read`] : []),
    ...(withoutPayload > 0
      ? [`${count(withoutPayload)} responses refer to a payload that is not in the archive files`]
      : []),
  ];
}
