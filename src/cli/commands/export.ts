/** `orbweaver export`: writes the copy for other programs. It only reads, so it works during a crawl. */
import { OrbweaverError } from '../../core/errors.ts';
import { safeLines } from '../../core/safe-text.ts';
import type { CrawlPlace } from '../../crawl/place/crawl-place.ts';
import { type Store, URL_STATES, type UrlState } from '../../store/contract.ts';
import {
  COMMON_FLAGS,
  type Command,
  chosenWord,
  type ParsedArguments,
  parseArguments,
  refuseWords,
  stringFlag,
  switchFlag,
} from '../arguments.ts';
import { say } from '../log.ts';
import { momentFlag } from '../moment.ts';
import { PLACE_FLAGS, withCrawl } from '../named-crawl.ts';
import { type Chunks, checkOutput, OUTPUT_FLAGS, writeToFile, writeToStdout } from '../output.ts';
import { cdxjLines, warcBytes } from './export-archive.ts';
import { CONTENT_FORMS, type ContentForm, contentLines } from './export-content.ts';
import { exportFolder, FILES_FLAGS, FILES_FORMATS, type FilesFormat } from './export-files.ts';
import { csvLines, jsonLines } from './export-rows.ts';
import { waczBytes } from './export-wacz.ts';

interface Format {
  readonly isBinary: boolean;
  /** Whether the format has one row for each URL, so that --state can select rows. */
  readonly hasRows: boolean;
  chunks(store: Store, place: CrawlPlace, rows: RowsWanted): Chunks;
}

interface RowsWanted {
  readonly states: ReadonlySet<UrlState>;
  /** The form of the content in each row; null for rows without content. */
  readonly content: ContentForm | null;
  /** The time of the content; null for now. */
  readonly atMs: number | null;
}

const FORMATS = {
  jsonl: {
    isBinary: false,
    hasRows: true,
    chunks: (store, place, { states, content, atMs }) =>
      content === null
        ? jsonLines(store, states)
        : contentLines({ ...{ store, place, states, atMs, warn }, form: content }),
  },
  csv: { isBinary: false, hasRows: true, chunks: (store, _, { states }) => csvLines(store, states) },
  warc: { isBinary: true, hasRows: false, chunks: (store, place) => warcBytes(store, place, warn) },
  wacz: { isBinary: true, hasRows: false, chunks: (store, place) => waczBytes(store, place, warn) },
  cdxj: { isBinary: false, hasRows: false, chunks: (store) => cdxjLines(store, warn) },
} as const satisfies Record<string, Format>;
/** The last formats are folders, and not streams of bytes like the others. */
const FORMAT_NAMES = [...(Object.keys(FORMATS) as (keyof typeof FORMATS)[]), ...FILES_FORMATS] as const;
type FormatName = (typeof FORMAT_NAMES)[number];

export const command: Command = {
  help: {
    usage: 'orbweaver export [--format jsonl|csv|warc|wacz|cdxj|markdown|mirror|tables] [flags]',
    about: `Writes the copy for other programs, to stdout or to a file.
  jsonl  one object per known URL: url state status depth fetchedAt contentType bytes digest title canonical duplicateOf
         inlinks outlinks rank reason nearDuplicateOf similarity relevance checkedAt checks changes orphaned
         canonicalVerdict
         With --content, each row has the content of its page: the main content as text or Markdown, or the source.
         With --content and --at, the rows are those of that time. Only URLs that had a response then have a row; facts
         that are not known of then are null.
  csv    the same as a table (RFC 4180). A cell that begins with = + - @ (in any width, also after white space), a tab or a
         line break gets an apostrophe in front, so that no spreadsheet runs the text of a web page as a formula.
  warc   all archived responses as one WARC file (gzip). For a cluster: the archive files on this machine and in the
         folders of --archive; messages say where the other files are.
  wacz   one file for replay tools (WACZ 1.1.1): the archive files, their index and the list of pages. For a cluster: as
         for warc.
  cdxj   the index of the archive's own files, sorted
  markdown  a folder with one file per page: its main content, after its facts (title, url, authors, times …). Links
         between the pages lead from file to file. --at chooses a time, and a second run updates the folder.
  mirror a folder that a browser opens without a server and without the network: a file for each page and, if the crawl
         had --assets, for each image, style sheet and script. References lead from file to file. --at and a second run
         work as for markdown.
  tables a folder with a CSV file for each data table in the main content of a page, and index.csv: the page, number,
         heading, caption and size of each. Tables that only arrange a page, and those of the navigation, are left out.
         --at and a second run work as for markdown.`,
    examples: [
      'orbweaver export | jq -r "select(.state == \\"failed\\") | .url"',
      'orbweaver export --content markdown --state fetched | jq -r .content',
      'orbweaver export --format csv --state fetched --output pages.csv',
      'orbweaver export --format warc --output site.warc.gz',
      'orbweaver export --format wacz --output site.wacz',
      'orbweaver export --format markdown --out notes',
      'orbweaver export --format mirror --out site --at 2026-11-15',
      'orbweaver export --format tables --out tables',
    ],
    flags: {
      ...PLACE_FLAGS,
      format: { hint: FORMAT_NAMES.join('|'), help: 'output format (default jsonl)' },
      ...OUTPUT_FLAGS,
      ...FILES_FLAGS,
      state: { hint: '<states>', help: `write only URLs in these states: ${URL_STATES.join(',')}`, several: true },
      content: { hint: CONTENT_FORMS.join('|'), help: 'add the content of each page to its row (jsonl only)' },
      help: COMMON_FLAGS.help!,
    },
  },

  async run(words) {
    const args = parseArguments('export', words, command.help.flags);
    const meant = FORMAT_NAMES.find((name) => name === args.words[0]) ?? '<name>';
    refuseWords('export', args, `did you mean --format ${meant}?`);
    const name = chosenWord('--format', stringFlag(args, 'format', 'jsonl'), FORMAT_NAMES);
    const states = statesWanted(args, name);
    const content = contentWanted(args, name);
    if (isFolder(name)) return exportFolder(args, name, states);
    refuseFolderFlags(args, name, content);
    const atMs = momentFlag(args, 'at');
    const format: Format = FORMATS[name];
    const output = args.flags.output as string | undefined;
    if (output !== undefined) checkOutput(output, switchFlag(args, 'force'));
    else if (format.isBinary && process.stdout.isTTY) {
      throw new OrbweaverError(
        'ERR_USAGE',
        `a terminal cannot show a ${name} file; add --output <file>, or pipe it to a program`,
      );
    }
    return withCrawl(args, async (store, { place, sources }) => {
      const chunks = format.chunks(store, place, { states: states ?? new Set(URL_STATES), content, atMs });
      if (output === undefined) await writeToStdout(process.stdout.isTTY ? safeChunks(chunks) : chunks);
      else await writeToFile(chunks, output, sources);
    });
  },
};

/** On a terminal, even a table must not contain control characters. */
async function* safeChunks(chunks: Chunks): AsyncGenerator<string> {
  for await (const chunk of chunks) yield safeLines(String(chunk));
}

function warn(line: string): void {
  say(`orbweaver: ${line}`);
}

function contentWanted(args: ParsedArguments, format: FormatName): ContentForm | null {
  if (args.flags.content === undefined) return null;
  if (format !== 'jsonl') throw new OrbweaverError('ERR_USAGE', `--content works only with jsonl, not with ${format}`);
  return chosenWord('--content', stringFlag(args, 'content', ''), CONTENT_FORMS);
}

function isFolder(format: FormatName): format is FilesFormat {
  return (FILES_FORMATS as readonly string[]).includes(format);
}

function refuseFolderFlags(args: ParsedArguments, format: FormatName, content: ContentForm | null): void {
  const given = Object.keys(FILES_FLAGS).filter((name) => args.flags[name] !== undefined);
  const flag = given.find((name) => name !== 'at' || content === null);
  if (flag === undefined) return;
  const advice = { out: '; write --output <file>', at: '; add --content to jsonl' }[flag] ?? '';
  throw new OrbweaverError(
    'ERR_USAGE',
    `--${flag} works only with --format ${FILES_FORMATS.join(', ')}, not with ${format}${advice}`,
  );
}

/** Null if the user chose no states. */
function statesWanted(args: ParsedArguments, format: FormatName): ReadonlySet<UrlState> | null {
  const given = args.flags.state as readonly string[] | undefined;
  if (given === undefined) return null;
  if (!isFolder(format) && !FORMATS[format].hasRows) {
    throw new OrbweaverError(
      'ERR_USAGE',
      `--state works only with jsonl, csv, markdown, mirror and tables; a ${format} file always has the whole archive`,
    );
  }
  const words = given.flatMap((text) => text.split(',')).map((word) => word.trim());
  return new Set(words.map((word) => chosenWord('--state', word, URL_STATES)));
}
