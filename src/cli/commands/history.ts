/**
 * `orbweaver history <url>`: shows the visits to a page and every response in the archive. It only reads,
 * so it works during a crawl.
 */
import { type Look, type Noted, type PageHistory, readHistory } from '../../copy/read-history.ts';
import { imageText, looksSentence, notedText } from '../../copy/sentences/visit-sentences.ts';
import { columns, count, plural, safeText, sizeText, timeText } from '../../core/text/readable.ts';
import { toPageLooks } from '../../library/page-history.ts';
import { COMMON_FLAGS, type Command, countFlag, parseArguments, requireOneUrl, switchFlag } from '../arguments.ts';
import { neverFetched, requireKnownUrl } from '../known-url.ts';
import { PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { printJson, printLines } from '../output.ts';

const DEFAULT_LIMIT = 100;
/** The limit exists because every new content must be read from the archive. */
const MOST_SHOWN = 1_000_000;
/** `sha256:` and enough digits to distinguish the contents of one page. */
const DIGEST_CHARS = 'sha256:'.length + 12;

export const command: Command = {
  help: {
    usage: 'orbweaver history <url> [flags]',
    about: `Shows how often a page was visited and how often it changes. Then it lists every response in the archive, newest first:
its time, the finding, the size, the beginning of its digest, the number of words that were added and removed since the
previous version (for an image: whether it still looks the same), and the change that a refresh recorded. Errors and
redirects are listed too, but they are not versions. A visit that found the same content is counted, but leaves no
response in the archive.`,
    examples: [
      'orbweaver history https://example.com/',
      'orbweaver history https://example.com/ --limit 10',
      'orbweaver history https://example.com/ --json | jq -r ".looks[].found"',
    ],
    flags: {
      ...PLACE_FLAGS,
      limit: { hint: '<n>', help: `number of responses to show, newest first (default ${DEFAULT_LIMIT})` },
      ...COMMON_FLAGS,
    },
  },

  async run(words) {
    const args = parseArguments('history', words, command.help.flags);
    const text = requireOneUrl('history', args.words);
    const limit = countFlag(args, 'limit', DEFAULT_LIMIT, MOST_SHOWN);
    return withCrawl(args, async (store, { place, again }) => {
      const { url, record } = await requireKnownUrl(store, again, text);
      const history = await readHistory(store, place, url, limit);
      const isJson = switchFlag(args, 'json');
      if (!isJson && history.total === 0) throw neverFetched(record, again);
      if (isJson) printJson(toPageLooks(history));
      else printLines(sentences(history));
    });
  },
};

function sentences({ url, total, looks, besides, habits, shownOn }: PageHistory): string[] {
  const missing = total - looks.length;
  const rows = [
    ...looks.map((look) => ({ atMs: look.fetchedAtMs, row: lookRow(look) })),
    ...besides.map((noted) => ({ atMs: noted.atMs, row: notedRow(noted) })),
  ].sort((left, right) => right.atMs - left.atMs);
  return [
    url,
    ...(habits === null ? [] : [looksSentence(habits)]),
    `${plural(total, 'response')} in the archive, newest first.`,
    ...columns(rows.map(({ row }) => row)),
    ...(missing > 0 ? [`… and ${count(missing)} earlier; --limit ${total} shows all`] : []),
    ...(shownOn.length > 0 ? ['Shown on these pages:', ...shownOn.map((page) => `  ${page}`)] : []),
  ];
}

function lookRow(look: Look): string[] {
  const { fetchedAtMs, bytes, digest } = look;
  return [
    timeText(fetchedAtMs),
    foundText(look),
    bytes === null ? '' : sizeText(bytes),
    digest === null ? '' : digest.slice(0, DIGEST_CHARS),
    [remark(look), look.noted === null ? '' : notedText(look.noted)].filter((part) => part !== '').join('  '),
  ];
}

function notedRow(noted: Noted): string[] {
  return [timeText(noted.atMs), noted.kind, '', '', notedText(noted)];
}

/** The finding of a refresh is more precise than a comparison of the bytes. */
function foundText({ found, status, noted }: Look): string {
  const isAnswer = found === 'error' || found === 'redirect';
  const word = noted?.kind === 'noise' || noted?.kind === 'gone' || noted?.kind === 'returned' ? noted.kind : found;
  return isAnswer ? `${word} ${status}` : word;
}

function remark({ found, wordsAdded, wordsRemoved, leadsTo, contentType, image, damage }: Look): string {
  if (found === 'unreadable' && damage !== null) return `damaged in the archive: ${safeText(damage)}`;
  if (found === 'unreadable') return 'the archive no longer has it';
  if (found === 'elsewhere') return 'its archive file cannot be read here; show --at <time> says where it is';
  if (found === 'redirect') return leadsTo === null ? '' : `to ${safeText(leadsTo)}`;
  if (image !== null) return imageText(image);
  if (found === 'changed' && wordsAdded !== null && wordsRemoved !== null) {
    const isSame = wordsAdded + wordsRemoved === 0;
    return isSame ? 'no word changed' : `+${count(wordsAdded)} −${count(wordsRemoved)} words`;
  }
  return found === 'first' || found === 'changed' ? safeText(contentType) : '';
}
