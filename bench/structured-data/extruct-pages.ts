/**
 * Reads pages with extruct, in a process of Python. In: the files of a folder. Out: for each page its text, and what
 * extruct found in it. Both readers get the same decoded text, so that differences of encodings do not count.
 *
 * The results are appended to a file, because extruct takes up to a second for a page. A later run reads the file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { decodeBody } from '../../src/page/encoding/charset.ts';

export const PAGE_URL = 'http://www.example.com/page.html';
export const EXTRUCT_SYNTAXES = [
  'json-ld',
  'microdata',
  'rdfa',
  'opengraph',
  'dublincore',
  'microformat',
  'twitter',
] as const;
export type ExtructSyntax = (typeof EXTRUCT_SYNTAXES)[number];

/** The items that extruct returned for a syntax, or the error that it raised. */
export interface ExtructReading {
  readonly found?: unknown;
  readonly error?: string;
  readonly seconds: number;
}

export interface ReadPage {
  readonly name: string;
  readonly html: string;
  readonly found: Readonly<Record<ExtructSyntax, ExtructReading>>;
}

const SCRIPT = join(import.meta.dirname, 'read-with-extruct.py');

export async function* readWithExtruct(folder: string, python: string, resultFile: string): AsyncGenerator<ReadPage> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.html?$/.test(name));
  const missing = new Set(names);
  for (const { name } of readResults(resultFile)) missing.delete(name);
  await readMissing(folder, [...missing].sort(), python, resultFile);
  const known = new Set(names);
  for (const { name, found } of readResults(resultFile)) {
    if (known.has(name)) yield { name, html: readPage(folder, name), found };
  }
}

async function readMissing(folder: string, names: string[], python: string, resultFile: string): Promise<void> {
  if (names.length === 0) return;
  const child = spawn(python, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const results = createInterface({ input: child.stdout });
  results.on('line', (line) => appendFileSync(resultFile, `${line}\n`));
  for (const name of names) {
    const isFree = child.stdin.write(`${JSON.stringify({ name, html: readPage(folder, name) })}\n`);
    if (!isFree) await once(child.stdin, 'drain');
  }
  child.stdin.end();
  const [code] = await closed;
  if (code !== 0) throw new Error(`Python ended with code ${code}. Is extruct installed in its environment?`);
}

function readPage(folder: string, name: string): string {
  return decodeBody(readFileSync(join(folder, name)), 'text/html', 'html').text;
}

function readResults(resultFile: string): Pick<ReadPage, 'name' | 'found'>[] {
  if (!existsSync(resultFile)) return [];
  const lines = readFileSync(resultFile, 'utf8').split('\n');
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as ReadPage);
}
