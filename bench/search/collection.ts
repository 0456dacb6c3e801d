/**
 * The documents of the search benchmark, as JSON lines. In: documentation packages of Debian. Out: a file with one
 * document in each line, and how many bytes of text it has. All engines read the same file.
 *
 * The `real` collection has the pages themselves. A `made` collection has any number of documents of 5 KB, which consist
 * of passages of the real pages, so that words are as frequent as in the pages, and phrases and neighbours exist. Each
 * made document also has one word of its own, because new pages bring new words.
 */
import { createWriteStream, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveOptions } from '../../src/core/options/options.ts';
import { linksParsed } from '../../src/crawl/links/links-wanted.ts';
import { parsePage } from '../../src/page/page.ts';
import { type Random, randomBelow, seededRandom } from '../../testbed/random.ts';
import { htmlFilesBelow, unpackPackage } from '../site/debian-package.ts';
import { SITE_HOST } from '../site/read-site.ts';

export interface Document {
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly text: string;
}

export interface Collection {
  readonly name: string;
  readonly path: string;
  readonly documents: number;
  readonly textBytes: number;
}

const PACKAGES = [
  'python3.11-doc',
  'postgresql-doc-15',
  'cppreference-doc-en-html',
  'debian-handbook',
  'sqlite3-doc',
  'libboost1.74-doc',
];
const MADE_BYTES = 5_000;
/** Words of a passage. */
const LEAST_PASSAGE = 15;
const MOST_PASSAGE = 80;
const CHUNK_LINES = 500;

/** The pages of the packages, in a random order. They are parsed once; the files stay in the work folder. */
export async function realCollection(workFolder: string, report: (text: string) => void): Promise<Collection> {
  const paths: [string, string][] = [];
  for (const name of PACKAGES) {
    const folder = await unpackPackage(workFolder, name);
    for (const path of await htmlFilesBelow(folder)) paths.push([folder, path]);
  }
  const random = seededRandom(1);
  for (let i = paths.length - 1; i > 0; i--) {
    const j = randomBelow(random, i + 1);
    [paths[i], paths[j]] = [paths[j]!, paths[i]!];
  }
  const options = { ...linksParsed(resolveOptions([])), wantText: true };
  return writeCollection(workFolder, 'real', paths.length, report, (id) => {
    const [folder, path] = paths[id - 1]!;
    const url = `${SITE_HOST}/${encodeURI(path)}`;
    const { title, text } = parsePage(readFileSync(join(folder, path)), 'text/html', url, options);
    return { id, url, title, text };
  });
}

export function madeCollection(
  workFolder: string,
  real: Collection,
  documents: number,
  report: (text: string) => void,
): Promise<Collection> {
  let maker: DocumentMaker | null = null;
  return writeCollection(workFolder, `made-${documents}`, documents, report, (id) => {
    maker ??= new DocumentMaker(real);
    return maker.make(id);
  });
}

/** Makes documents from the passages of real pages. The same number always gives the same document. */
export class DocumentMaker {
  /** The words of all pages in a row. */
  readonly #words: string[] = [];

  constructor(real: Collection) {
    for (const line of readFileSync(real.path, 'utf8').split('\n')) {
      if (line === '') continue;
      for (const word of (JSON.parse(line) as Document).text.split(/\s+/)) if (word !== '') this.#words.push(word);
    }
  }

  make(id: number): Document {
    const random = seededRandom(2, id);
    const title = this.#passage(random, 3 + randomBelow(random, 5));
    let text = `w${id.toString(36)}x`;
    while (text.length < MADE_BYTES) {
      text += ` ${this.#passage(random, LEAST_PASSAGE + randomBelow(random, MOST_PASSAGE - LEAST_PASSAGE))}.`;
    }
    return { id, url: `${SITE_HOST}/made/${id}.html`, title, text };
  }

  #passage(random: Random, words: number): string {
    const from = randomBelow(random, this.#words.length - words);
    return this.#words.slice(from, from + words).join(' ');
  }
}

async function writeCollection(
  workFolder: string,
  name: string,
  documents: number,
  report: (text: string) => void,
  make: (id: number) => Document,
): Promise<Collection> {
  const folder = join(workFolder, 'search');
  const path = join(folder, `${name}.jsonl`);
  const factsPath = join(folder, `${name}.facts.json`);
  if (existsSync(factsPath)) return JSON.parse(readFileSync(factsPath, 'utf8')) as Collection;
  report(`making the collection ${name} of ${documents.toLocaleString('en')} documents`);
  await mkdir(folder, { recursive: true });
  const stream = createWriteStream(`${path}.part`);
  let textBytes = 0;
  for (let id = 1; id <= documents; ) {
    let lines = '';
    for (let left = CHUNK_LINES; left > 0 && id <= documents; left--, id++) {
      const document = make(id);
      textBytes += Buffer.byteLength(document.title) + Buffer.byteLength(document.text);
      lines += `${JSON.stringify(document)}\n`;
    }
    if (!stream.write(lines)) await new Promise<void>((resolve) => stream.once('drain', resolve));
  }
  await new Promise<void>((resolve) => stream.end(resolve));
  renameSync(`${path}.part`, path);
  const collection: Collection = { name, path, documents, textBytes };
  writeFileSync(factsPath, JSON.stringify(collection));
  return collection;
}
