/**
 * Reads the words of real sites. In: packages of Debian with documentation. Out: the words of each page in order, as a
 * simple index would have them: lower case, without accents, CJK text as pairs of characters.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePage } from '../../src/page/page.ts';
import { htmlFilesBelow, unpackPackage } from '../site/debian-package.ts';
import { SITE_HOST } from '../site/read-site.ts';
import { TEMPLATE_SITES } from '../template-sites/sites.ts';

export interface PageTerms {
  readonly path: string;
  readonly terms: readonly string[];
}

const TOKEN = /[\p{L}\p{N}_]+/gu;
const CJK_RUN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/gu;
const IS_CJK = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const MAX_TERM = 64;
const PARSING = { wantText: true, wantAnchors: false, maxLinks: 10 };

export async function readPageTerms(siteName: string, workFolder: string): Promise<PageTerms[]> {
  const site = TEMPLATE_SITES.find(({ name }) => name === siteName);
  if (site === undefined) throw new Error(`There is no site "${siteName}".`);
  const folder = join(await unpackPackage(workFolder, site.package), site.folder);
  return (await htmlFilesBelow(folder)).map((path) => {
    const { title, text } = parsePage(readFileSync(join(folder, path)), 'text/html', SITE_HOST, PARSING);
    return { path, terms: termsOf(`${title}\n${text}`) };
  });
}

export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .normalize('NFC');
}

function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const [token] of fold(text).matchAll(TOKEN)) {
    for (const [run] of token.matchAll(CJK_RUN)) {
      if (!IS_CJK.test(run)) {
        if (run.length <= MAX_TERM) terms.push(run);
        continue;
      }
      const letters = [...run];
      for (let i = 0; i + 1 < letters.length; i++) terms.push(letters[i]! + letters[i + 1]!);
    }
  }
  return terms;
}
