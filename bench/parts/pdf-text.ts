/**
 * Compares the text, titles and links of PDF documents with those of `pdftotext` and `pdfinfo` (Debian: poppler-utils).
 * In: a folder of PDF files. Out: for each document the longest common subsequence of words, divided by the words of
 * `pdftotext`, page by page; the mean over documents, the share of documents with at least 0.98, and all words together.
 * Only the first pages of each document are compared, and of these the ones that were read. A word is what stands
 * between white space, in NFKC, without the invisible marks of direction that `pdftotext` writes.
 *
 * The line "in the order of drawing" compares with `pdftotext -raw`. Programs like TeX draw a text in the order of its
 * author, so this says who is right where `pdftotext` mixes columns. It writes words that are hyphenated at the end of a
 * line in two parts, so it never reaches 1.
 *
 * Run: node bench/parts/pdf-text.ts folder [pages]
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeDocuments, readDocument } from '../../src/documents/read-document.ts';

const DEFAULT_PAGES = 60;
const GOOD = 0.98;
const MARKS_OF_DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

interface Compared {
  readonly name: string;
  readonly words: number;
  readonly common: number;
  /** The words of `pdftotext -raw`, and how many of them are common in order. */
  readonly drawn: number;
  readonly commonDrawn: number;
  readonly ms: number;
  readonly isTitleEqual: boolean;
  readonly links: number;
  readonly foundLinks: number;
}

const [folder, pages = DEFAULT_PAGES] = process.argv.slice(2);
if (folder === undefined) {
  console.error('No folder was given. Run: node bench/parts/pdf-text.ts folder [pages]');
  process.exit(1);
}
const compared: Compared[] = [];
for (const name of readdirSync(folder).sort()) {
  const one = await compare(join(folder, name), name, Number(pages));
  if (one !== null) compared.push(one);
}
report(compared);
await closeDocuments();

async function compare(file: string, name: string, maxPages: number): Promise<Compared | null> {
  const before = process.cpuUsage();
  const document = await readDocument(readFileSync(file), 'application/pdf', 'https://site.example/');
  const { user, system } = process.cpuUsage(before);
  if ('reason' in document) {
    console.log(`${name}: ${document.reason}`);
    return null;
  }
  const expected = pagesOf(run('pdftotext', ['-l', String(maxPages), file, '-']));
  const inDrawing = pagesOf(run('pdftotext', ['-raw', '-l', String(maxPages), file, '-']));
  const ours = pagesOf(document.text);
  let [words, common, drawn, commonDrawn] = [0, 0, 0, 0];
  for (const [at, own] of ours.slice(0, Math.min(maxPages, expected.length)).entries()) {
    words += expected[at]!.length;
    common += commonWords(expected[at]!, own);
    drawn += inDrawing[at]!.length;
    commonDrawn += commonWords(inDrawing[at]!, own);
  }
  const title =
    /^Title: +(.*)$/m
      .exec(run('pdfinfo', [file]))?.[1]
      ?.replace(/\s+/g, ' ')
      .trim() || null;
  const rows = run('pdfinfo', ['-url', file]).matchAll(/^ *\d+ +\S+ +(https?:\S+)$/gm);
  const links = new Set([...rows].map(([, url]) => URL.parse(url!)?.href));
  const found = new Set(document.links);
  return {
    name,
    words,
    common,
    drawn,
    commonDrawn,
    ms: (user + system) / 1_000,
    isTitleEqual: title === document.title,
    links: links.size,
    foundLinks: [...links].filter((url) => url !== undefined && found.has(url)).length,
  };
}

function run(program: string, words: readonly string[]): string {
  return execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] });
}

function pagesOf(text: string): string[][] {
  return text.split('\f').map(wordsOf);
}

function wordsOf(text: string): string[] {
  return text
    .replace(MARKS_OF_DIRECTION, '')
    .normalize('NFKC')
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The length of the longest common subsequence, row by row. */
function commonWords(a: readonly string[], b: readonly string[]): number {
  let row = new Uint32Array(b.length + 1);
  for (const word of a) {
    const next = new Uint32Array(b.length + 1);
    for (let at = 0; at < b.length; at++) {
      next[at + 1] = word === b[at] ? row[at]! + 1 : Math.max(row[at + 1]!, next[at]!);
    }
    row = next;
  }
  return row[b.length]!;
}

function report(all: readonly Compared[]): void {
  const sum = (of: (one: Compared) => number): number => all.reduce((total, one) => total + of(one), 0);
  const recall = ({ words, common }: Compared): number => (words === 0 ? 1 : common / words);
  for (const one of all.toSorted((a, b) => recall(a) - recall(b))) {
    console.log(`${recall(one).toFixed(4)} ${String(one.words).padStart(7)} words ${one.name}`);
  }
  console.log(`documents                       ${all.length}`);
  console.log(`mean over documents             ${(sum(recall) / all.length).toFixed(4)}`);
  console.log(`documents with at least ${GOOD}    ${all.filter((one) => recall(one) >= GOOD).length}`);
  console.log(`all words                       ${(sum((one) => one.common) / sum((one) => one.words)).toFixed(4)}`);
  const inDrawing = sum(({ drawn, commonDrawn }) => (drawn === 0 ? 1 : commonDrawn / drawn));
  console.log(`mean in the order of drawing    ${(inDrawing / all.length).toFixed(4)}`);
  console.log(`equal titles                    ${all.filter((one) => one.isTitleEqual).length}`);
  console.log(`links of pdfinfo that are found ${sum((one) => one.foundLinks)} of ${sum((one) => one.links)}`);
  console.log(`CPU time                        ${Math.round(sum((one) => one.ms))} ms`);
}
