/**
 * `orbweaver verify`: checks that the archive and the database are unchanged, and repairs the state where they are not.
 */
import type { VerifyProgress } from '../../core/events.ts';
import { columns, count, percent, plural, safeText, sizeText } from '../../core/text/readable.ts';
import { DEFAULT_RATE, rateOf, startVerify } from '../../library/verify.ts';
import { FINDING_KINDS, type Finding, type FindingKind } from '../../verify/findings.ts';
import type { VerifyOutcome } from '../../verify/verify.ts';
import { FINDINGS_FILE, readFindings } from '../../verify/verify-state.ts';
import { COMMON_FLAGS, type Command, parseArguments, refuseWords, stringFlag, switchFlag } from '../arguments.ts';
import { type NamedCrawl, PLACE_FLAGS, resolveCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';
import { showEvents } from '../progress.ts';
import { EXIT_INTERRUPTED, untilStopped } from '../until-stopped.ts';

const EXIT_DAMAGED = 1;
const MOST_SHOWN = 20;
/** Findings in one JSON object; all findings are in the file of findings. */
const MOST_IN_JSON = 100_000;

export const command: Command = {
  help: {
    usage: 'orbweaver verify [flags]',
    about: `Compares every record of the archive with the database, and the database with the archive. It finds changed bytes, cut
records, missing, short and swapped files, pages that differ from the archive, and damage of the database itself. It only
reads, works during a crawl, and continues where it was stopped. With --repair it marks damaged responses, and their
pages wait until the next crawl or refresh fetches them again. It never changes or deletes anything in the archive. Exit
code: 0 no damage, 1 damage found, 11 interrupted.`,
    examples: [
      'orbweaver verify --dir docs-copy',
      'orbweaver verify --repair; orbweaver refresh',
      'orbweaver verify --rate 10mb --json | jq .findings',
    ],
    flags: {
      ...PLACE_FLAGS,
      repair: { hint: '', help: 'mark damaged responses, and let their pages wait to be fetched again' },
      restart: { hint: '', help: 'start from the beginning, even if an earlier run was stopped' },
      rate: { hint: '<size>', help: `bytes to read per second; "none" means no limit (default ${DEFAULT_RATE})` },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('verify', words, command.help.flags);
    refuseWords('verify', args, 'it checks the whole copy');
    const bytesPerSecond = rateOf(stringFlag(args, 'rate', DEFAULT_RATE));
    const crawl = await resolveCrawl(args);
    const { place } = crawl;
    const repair = switchFlag(args, 'repair');
    const running = startVerify({ place, repair, restart: switchFlag(args, 'restart'), bytesPerSecond });
    const outcome = await untilStopped(running, showEvents(process.stderr, 'verify/progress', progressText));
    if (switchFlag(args, 'json')) {
      const { first, findings: byKind, ...rest } = outcome;
      const all = outcome.isSaved ? readFindings(place.dir, outcome, MOST_IN_JSON) : first;
      printJson({ ...rest, damaged: totalOf(outcome), byKind, findings: all });
    } else printLines(verifySentences(outcome, crawl, repair));
    if (outcome.ending === 'interrupted') return EXIT_INTERRUPTED;
    return totalOf(outcome) > 0 ? EXIT_DAMAGED : 0;
  },
};

function progressText({ phase, bytes, totalBytes, captures, findings }: VerifyProgress): string {
  const share = totalBytes === 0 ? '' : ` (${percent(Math.min(1, bytes / totalBytes))})`;
  return `${phase}  ${sizeText(bytes)}${share}  ${count(captures)} responses  ${count(findings)} findings`;
}

function totalOf({ findings }: Pick<VerifyOutcome, 'findings'>): number {
  return Object.values(findings).reduce((sum, some) => sum + some, 0);
}

function verifySentences(outcome: VerifyOutcome, { again, place }: NamedCrawl, repair: boolean): string[] {
  const total = totalOf(outcome);
  const shown = outcome.isSaved ? readFindings(place.dir, outcome, MOST_SHOWN) : outcome.first.slice(0, MOST_SHOWN);
  const more = total - shown.length;
  const file = `${place.dir}/${FINDINGS_FILE}`;
  return [
    ...(outcome.resumedFrom === null ? [] : [`Continued the check that began ${outcome.resumedFrom}.`]),
    ...columns(shown.map(findingRow)),
    ...(more > 0 ? [`… and ${count(more)} more${outcome.isSaved ? ` in ${file}` : ''}`] : []),
    ...(total > 0 ? ['', ...columns(kindRows(outcome))] : []),
    headline(outcome, total),
    ...besides(outcome),
    ...(repair ? repairSentences(outcome, again) : []),
    ...advice(outcome, again, repair),
  ];
}

function findingRow({ kind, file, offset, url, problem, captures }: Finding): string[] {
  const place = file === null ? '' : offset === null ? file : `${file} at ${offset}`;
  const many = url === null && captures > 0 ? ` (${plural(captures, 'response')})` : '';
  return [kind, place, `${url === null ? '' : `${safeText(url)}: `}${safeText(problem)}${many}`];
}

function kindRows({ findings }: VerifyOutcome): (string | number)[][] {
  const some = Object.entries(findings).filter(([, number]) => number > 0);
  return some.map(([kind, number]) => [`  ${kind}`, number, FINDING_KINDS[kind as FindingKind]]);
}

function headline({ ending, captures, files, bytes, urls, seconds }: VerifyOutcome, total: number): string {
  const what = `${plural(captures, 'response')} in ${plural(files, 'archive file')} (${sizeText(bytes)}) and ${plural(urls, 'URL')}`;
  const verdict = total === 0 ? 'no damage found' : `${plural(total, 'finding')}`;
  return `${ending === 'done' ? 'Checked' : 'Interrupted after'} ${what} in ${seconds.toFixed(1)} s: ${verdict}.`;
}

/** Facts that are no damage. */
function besides(outcome: VerifyOutcome): string[] {
  const { unknownFiles, unknownRecords, unknownBytes, elsewhereFiles, knownDamage, isSaved } = outcome;
  const parts = [
    ...(unknownRecords > 0 ? [`${plural(unknownRecords, 'response')} that the database does not know`] : []),
    ...(unknownFiles > 0 ? [`${plural(unknownFiles, 'file')} that the database does not know`] : []),
    ...(unknownBytes > 0 ? [`${sizeText(unknownBytes)} after the committed end of files`] : []),
    ...(elsewhereFiles > 0 ? [`${plural(elsewhereFiles, 'file')} on other machines, not checked here`] : []),
    ...(knownDamage > 0 ? [`${plural(knownDamage, 'response')} already marked as damaged`] : []),
  ];
  return [
    ...(parts.length > 0 ? [`Also found, but no new damage: ${parts.join(', ')}.`] : []),
    ...(isSaved ? [] : ['The folder is not writable, so an interrupted check cannot be continued.']),
  ];
}

function repairSentences({ marked, restored, refetch }: VerifyOutcome, again: string): string[] {
  if (marked + restored + refetch === 0) return [];
  const parts = [
    `${plural(marked, 'response')} marked as damaged`,
    ...(restored > 0 ? [`${plural(restored, 'mark')} removed, because the response can be read again`] : []),
    `${plural(refetch, 'URL')} ${refetch === 1 ? 'waits' : 'wait'} to be fetched again`,
  ];
  const next = refetch > 0 ? [`Fetch ${refetch === 1 ? 'it' : 'them'}: orbweaver refresh ${again}`] : [];
  return [`Repaired: ${parts.join(', ')}. Nothing in the archive was changed.`, ...next];
}

function advice({ ending, findings, isSaved }: VerifyOutcome, again: string, repair: boolean): string[] {
  const total = totalOf({ findings });
  return [
    ...(ending === 'interrupted' && isSaved ? [`Continue: orbweaver verify ${again}${repair ? ' --repair' : ''}`] : []),
    ...(findings.database > 0 ? ['The database is damaged; it can be rebuilt from the archive.'] : []),
    ...(total > findings.database && !repair ? [`Repair: orbweaver verify --repair ${again}`] : []),
  ];
}
