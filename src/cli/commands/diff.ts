/**
 * `orbweaver diff <url>`: shows what changed between two versions of a page. It only reads, so it works during a crawl.
 */
import { asHtml } from '../../change/diff/as-html.ts';
import { asPlain, asTerminal } from '../../change/diff/as-terminal.ts';
import { asUnified } from '../../change/diff/as-unified.ts';
import { type DiffHunk, hunksOf } from '../../change/diff/hunks.ts';
import { contentsOf, type DiffWanted, type PageDiff, readDiff } from '../../copy/read-diff.ts';
import type { VersionFacts } from '../../copy/read-version.ts';
import { imageText } from '../../copy/sentences/visit-sentences.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { count, plural, safeJson, safeLines, safeText, sizeText, timeText } from '../../core/text/readable.ts';
import { LATEST_MS, timesFetched } from '../../crawl/place/read-archived.ts';
import { toPageChanges } from '../../library/page-diff.ts';
import type { Store } from '../../store/contract.ts';
import {
  COMMON_FLAGS,
  type Command,
  chosenWord,
  countFlag,
  type ParsedArguments,
  parseArguments,
  requireOneUrl,
  stringFlag,
  switchFlag,
} from '../arguments.ts';
import { neverFetched, requireKnownUrl } from '../known-url.ts';
import { say } from '../log.ts';
import { momentFlag } from '../moment.ts';
import { type NamedCrawl, PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { writeToStdout } from '../output.ts';

const FORMATS = ['terminal', 'plain', 'unified', 'html', 'json'] as const;
type Format = (typeof FORMATS)[number];

const DEFAULT_CONTEXT = 3;
const MOST_CONTEXT = 1_000_000;

export const command: Command = {
  help: {
    usage: 'orbweaver diff <url> [--from <time>] [--to <time>] [--format <name>] [flags]',
    about: `Shows what changed on a page, word by word: between the last two versions that differ, or between the versions of two
times. For HTML it compares the text that a reader sees, one line per block, or the markup with --html-source. Errors and
redirects are not versions.
A time is written as for show --at. Formats: terminal (removed words in red and struck through, added words in green and
underlined), plain ([-removed-]{+added+}; the default without a terminal or without colours), unified (for patch), html (a
complete page), json. Control characters, including bidirectional ones, are shown as spaces; --raw keeps them in a
unified diff.`,
    examples: [
      'orbweaver diff https://example.com/',
      'orbweaver diff https://example.com/ --from 2026-10 --to 2026-11',
      'orbweaver diff https://example.com/ --format html > changes.html',
      'orbweaver diff https://example.com/ --html-source --format unified',
    ],
    flags: {
      ...PLACE_FLAGS,
      from: {
        hint: '<time>',
        help: 'older version: the newest at or before this time (default: the last one that differs)',
      },
      to: { hint: '<time>', help: 'newer version: the newest at or before this time (default: the newest)' },
      format: { hint: '<name>', help: `${FORMATS.join(', ')} (default terminal, or plain without colours)` },
      context: { hint: '<n>', help: `number of lines to show around each change (default ${DEFAULT_CONTEXT})` },
      raw: { hint: '', help: 'with --format unified: keep control characters, for patch; not for a terminal' },
      'html-source': { hint: '', help: 'compare the markup instead of the text' },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('diff', words, command.help.flags);
    const text = requireOneUrl('diff', args.words);
    const isForTerminal = process.stdout.isTTY === true;
    const format = formatWanted(args, wantsColour(isForTerminal, process.env));
    const isRaw = rawWanted(args, format, isForTerminal);
    const wanted = diffWanted(args);
    const contextLines = countFlag(args, 'context', DEFAULT_CONTEXT, MOST_CONTEXT);
    return withCrawl(args, async (store, crawl) => {
      const page = await diffOf(store, crawl, text, wanted);
      const shown = render(page, format, contextLines);
      // The terminal format contains our own colour sequences. Its text was made safe before they were added.
      const safe = isRaw || format === 'terminal' ? shown : safeLines(shown);
      await writeToStdout([safe]);
      if (format !== 'unified') return;
      for (const line of insteadOfDiff(page)) say(`orbweaver: ${line}`);
      if (safe !== shown) say('orbweaver: Control characters are shown as spaces; --raw keeps them for patch.');
    });
  },
};

/** Only a terminal that accepts colours gets colours. */
function formatWanted(args: ParsedArguments, hasColour: boolean): Format {
  const usual = switchFlag(args, 'json') ? 'json' : 'terminal';
  const format = chosenWord('--format', stringFlag(args, 'format', usual), FORMATS);
  if (usual === 'json' && format !== 'json') {
    throw new OrbweaverError('ERR_USAGE', `--json and --format ${format} exclude each other; choose one`);
  }
  return format === 'terminal' && !hasColour ? 'plain' : format;
}

function diffWanted(args: ParsedArguments): DiffWanted {
  const [fromMs, toMs] = [momentFlag(args, 'from'), momentFlag(args, 'to')];
  if (fromMs !== null && toMs !== null && fromMs > toMs) {
    throw new OrbweaverError('ERR_BAD_OPTION', '--from is after --to; the older time comes first');
  }
  return { fromMs, toMs, of: switchFlag(args, 'html-source') ? 'source' : 'text' };
}

async function diffOf(store: Store, { place, again }: NamedCrawl, text: string, wanted: DiffWanted): Promise<PageDiff> {
  const { url, record } = await requireKnownUrl(store, again, text);
  const page = await readDiff(store, place, url, wanted);
  if (page !== null) return page;
  const first = (await contentsOf(store, url, LATEST_MS)).at(-1);
  if (first === undefined) {
    if ((await timesFetched(store, url)).length === 0) throw neverFetched(record, again);
    const more = `See: orbweaver history ${url} ${again}`;
    throw new OrbweaverError('ERR_NOT_IN_COPY', `${url}: the copy has only errors and redirects for it. ${more}`);
  }
  const atMs = Math.min(wanted.fromMs ?? LATEST_MS, wanted.toMs ?? LATEST_MS);
  throw new OrbweaverError(
    'ERR_NOT_IN_COPY',
    `${url} was not in the copy at ${timeText(atMs)}: its first version is from ${timeText(first.fetchedAtMs)}`,
  );
}

/** `--raw` passes the bytes of the page to a program, never to a terminal. */
function rawWanted(args: ParsedArguments, format: Format, isForTerminal: boolean): boolean {
  if (!switchFlag(args, 'raw')) return false;
  if (format !== 'unified') throw new OrbweaverError('ERR_USAGE', '--raw is only for patch; add --format unified');
  if (isForTerminal) {
    throw new OrbweaverError(
      'ERR_USAGE',
      'a raw diff may contain control characters; write it to a file or pipe it to a program',
    );
  }
  return true;
}

function render(page: PageDiff, format: Format, contextLines: number): string {
  const { url, from, to, diff } = page;
  if (format === 'json') return `${safeJson(toPageChanges(page, contextLines))}\n`;
  const hunks = diff === null ? [] : hunksOf(diff, contextLines);
  if (format === 'html') return asHtml(hunks, { title: url, lines: diffHeading(page) });
  if (format === 'unified') {
    return from === null ? '' : asUnified(hunks, { name: url, oldMs: from.fetchedAtMs, newMs: to.fetchedAtMs });
  }
  const heading = `${safeLines([url, ...diffHeading(page)].join('\n'))}\n`;
  if (hunks.length === 0) return heading;
  return `${heading}\n${format === 'terminal' ? asTerminal(hunks.map(harmless)) : asPlain(hunks)}`;
}

/** Removes control characters from the text of the page before our colour sequences are added. */
function harmless(hunk: DiffHunk): DiffHunk {
  const regions = hunk.regions.map((region) => ({
    ...region,
    pieces: region.pieces.map(({ kind, text }) => ({ kind, text: safeLines(text) })),
  }));
  return { ...hunk, regions };
}

/**
 * Whether a terminal gets colours: not if the user set NO_COLOR (no-color.org), and not if the terminal has no colours.
 */
export function wantsColour(isTerminal: boolean, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return isTerminal && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
}

/* Sentences above a diff and in place of a diff. Text from the web is made safe for a terminal. */

/** Describes the two contents and the size of the change; the caller prints the URL. */
function diffHeading(page: PageDiff): string[] {
  const { from, to, words } = page;
  const versions = from === null ? [] : [`from ${versionText(from)}`, `to   ${versionText(to)}`];
  const titles =
    from === null || from.title === to.title ? [] : [`title "${safeText(from.title)}" → "${safeText(to.title)}"`];
  const hasCounts = words !== null && (!isEmpty(page) || words.wordsAdded + words.wordsRemoved > 0);
  const counts = hasCounts ? [`${plural(words.wordsAdded, 'word')} added, ${count(words.wordsRemoved)} removed`] : [];
  return [...versions, ...titles, ...counts, ...insteadOfDiff(page)];
}

/** Says why there is no difference to show; empty if there is one. */
function insteadOfDiff(page: PageDiff): string[] {
  const { from, to, diff, of, image } = page;
  if (from === null) return [`The copy has no version before ${timeText(to.fetchedAtMs)} to compare with.`];
  if (from.digest === to.digest) return ['Both versions have the same content.'];
  const digests = [digestText('from', from), digestText('to', to)];
  if (image !== null) return [`The image ${imageText(image)}.`, ...digests];
  if (diff === null) return ['The versions are not text, so their words cannot be compared.', ...digests];
  if (!isEmpty(page)) return [];
  if (of === 'text' && from.title !== to.title) return ['The text is the same; only the title changed.'];
  return of === 'text' && /html/.test(to.contentType)
    ? ['The text is the same; only the markup changed. --html-source shows how.']
    : ['The text is the same; only the bytes differ.'];
}

function isEmpty({ diff }: PageDiff): boolean {
  return diff?.regions.every(({ kind }) => kind === 'same') === true;
}

function versionText({ fetchedAtMs, bytes, contentType }: VersionFacts): string {
  return `${timeText(fetchedAtMs)}, ${safeText(contentType) || 'no content type'}, ${sizeText(bytes)}`;
}

function digestText(side: string, { digest }: VersionFacts): string {
  return `${side.padEnd(4)} ${digest}`;
}
