/**
 * Measures how often the language of a paragraph is found, by us and by the detectors of npm that are installed in a
 * folder (eld, tinyld, franc). In: the lines of bench/languages/choose-paragraphs.py. Norwegian counts as one language,
 * and so do Filipino and Tagalog. `show` prints our errors in the open half; the held-out half is never printed.
 *
 * node bench/languages.ts paragraphs.tsv [folder with node_modules] [show]
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { detectLanguage } from '../src/content/language/detect-language.ts';

interface Paragraph {
  readonly language: string;
  readonly source: string;
  readonly half: string;
  readonly text: string;
}
type Detector = (text: string) => string | null;

const SAME: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', tl: 'fil', iw: 'he' };
const SHORT_WORDS = 6;
/** The languages whose script other languages have too. */
const SHARED_SCRIPT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}\P{L}]*$/u;

const [file, peerFolder, show] = process.argv.slice(2);
if (file === undefined) {
  console.error('Run: node bench/languages.ts paragraphs.tsv [folder with node_modules] [show]');
  process.exit(1);
}
const paragraphs = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Paragraph => {
    const [language, source, half, text] = line.split('\t') as [string, string, string, string];
    return { language, source, half, text };
  });

const detectors: [name: string, detect: Detector][] = [['ours', detectLanguage]];
if (peerFolder !== undefined) detectors.push(...(await peersIn(resolve(peerFolder))));

for (const half of ['open', 'held-out']) {
  const own = paragraphs.filter((paragraph) => paragraph.half === half);
  const shared = own.filter(({ text }) => SHARED_SCRIPT.test(text));
  const languages = new Set(own.map(({ language }) => language));
  console.log(`${half}: ${own.length} paragraphs in ${languages.size} languages, ${shared.length} in shared scripts`);
  const rows = detectors.map(([name, detect]) => {
    const started = process.cpuUsage();
    const all = shareOf(own, detect);
    const { user, system } = process.cpuUsage(started);
    return [
      name,
      {
        all,
        'shared scripts': shareOf(shared, detect),
        'six words of them': shareOf(shared, (text) => detect(text.split(' ').slice(0, SHORT_WORDS).join(' '))),
        'µs for a paragraph': Math.round((user + system) / own.length),
      },
    ];
  });
  console.table(Object.fromEntries(rows));
  for (const [name, detect] of detectors) console.log(`${name}: ${worstLanguages(own, detect)}`);
}
if (show !== undefined) {
  for (const { language, half, text } of paragraphs) {
    const found = detectLanguage(text);
    if (half === 'open' && !isSame(found, language)) console.log(`${language} ${found} ${text.slice(0, 200)}`);
  }
}

function isSame(found: string | null, language: string): boolean {
  return found !== null && (SAME[found] ?? found) === language;
}

function shareOf(all: readonly Paragraph[], detect: Detector): string {
  return (all.filter(({ text, language }) => isSame(detect(text), language)).length / all.length).toFixed(4);
}

function worstLanguages(all: readonly Paragraph[], detect: Detector): string {
  const wrong = new Map<string, number>();
  for (const { text, language } of all) {
    if (!isSame(detect(text), language)) wrong.set(language, (wrong.get(language) ?? 0) + 1);
  }
  const sorted = [...wrong].sort(([, a], [, b]) => b - a).slice(0, 12);
  return sorted.map(([language, count]) => `${language} ${count}`).join(', ');
}

async function peersIn(folder: string): Promise<[string, Detector][]> {
  const require = createRequire(join(folder, 'package.json'));
  const load = (name: string) => import(pathToFileURL(require.resolve(name)).href);
  const peers: [string, Detector][] = [];
  const has = (name: string) => existsSync(join(folder, 'node_modules', name));
  if (has('eld')) {
    // The package has no entry for CommonJS, so its main file is named.
    const { eld } = await import(pathToFileURL(join(folder, 'node_modules/eld/src/entries/static.large.js')).href);
    peers.push(['eld large', (text) => eld.detect(text).language || null]);
  }
  if (has('tinyld')) {
    const tinyld = await load('tinyld');
    peers.push(['tinyld', (text) => tinyld.detect(text) || null]);
  }
  if (has('franc')) {
    const path = join(folder, 'node_modules/franc');
    const { franc } = await import(pathToFileURL(join(path, 'index.js')).href);
    peers.push(['franc', (text) => shortCode(franc(text))]);
  }
  return peers;
}

/** Two letters for three: `deu` becomes `de`, Persian and Standard Malay their main language. */
function shortCode(code: string): string | null {
  const main: Record<string, string> = {
    ...{
      cmn: 'zh',
      arb: 'ar',
      pes: 'fa',
      prs: 'fa',
      zlm: 'ms',
      lvs: 'lv',
      ekk: 'et',
      nob: 'nb',
      nno: 'nb',
      tgl: 'fil',
    },
  };
  if (code === 'und') return null;
  return main[code] ?? new Intl.Locale(code).language;
}
