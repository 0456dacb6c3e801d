/**
 * Measures the search analysis: CPU time per word of turning text into terms, for plain English, for the documentation
 * of this project (many compound words), and for texts of other scripts. The callback only keeps the last term.
 *
 * Times are CPU times, rounds alternate, and the output shows medians and minima. On a busy machine use the ratios.
 *
 * Run: node bench/parts/search-analysis.ts [seconds per text]
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyzeText } from '../../src/search/analysis/analyze.ts';

const ROUNDS = 9;
const CHARACTERS = 26_000;
const DOCS = join(import.meta.dirname, '..', '..', 'docs');

const secondsEach = Number(process.argv[2] ?? 2);

const documentation = globSync('*.md', { cwd: DOCS })
  .sort()
  .map((name) => readFileSync(join(DOCS, name), 'utf8'))
  .join('\n');
/** What remains of the documentation if every word is plain: letters, capitals, commas and full stops. */
const english = documentation
  .replaceAll(/[^A-Za-z.,\s]+|(?<=[a-z])[A-Z]+|\.(?=\S)|,(?=\S)/g, ' ')
  .replaceAll(/\s+/g, ' ');

const repeat = (text: string): string => text.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS);
const texts: readonly (readonly [name: string, text: string])[] = [
  ['English, plain words', flat(english.slice(0, CHARACTERS))],
  ['documentation', flat(documentation.slice(100_000, 100_000 + CHARACTERS))],
  ['French', repeat("L'été dernier, les élèves de l'école ont découvert une forêt près de la frontière. ")],
  ['Russian', repeat('Прошлым летом ученики школы нашли старый лес недалеко от границы города. ')],
  ['Hindi', repeat('पिछली गर्मियों में स्कूल के छात्रों ने सीमा के पास एक पुराना जंगल खोजा। ')],
  ['Chinese', repeat('去年夏天，学校的学生们在城市边界附近发现了一片古老的森林。')],
  ['Thai', repeat('ฤดูร้อนที่แล้วนักเรียนของโรงเรียนพบป่าเก่าแก่ใกล้ชายแดนของเมือง ')],
];

let lastTerm = '';
const keep = (term: string): void => {
  lastTerm = term;
};

const times: number[][] = texts.map(() => []);
for (let round = 0; round <= ROUNDS; round++) {
  for (const [index, [, text]] of texts.entries()) {
    const time = measure(text);
    // The first round is the warm-up.
    if (round > 0) times[index]?.push(time);
  }
}
for (const [index, [name, text]] of texts.entries()) {
  const sorted = (times[index] as number[]).toSorted((a, b) => a - b);
  const words = analyzeText(text, 0, keep);
  const median = sorted[sorted.length >> 1] as number;
  const shown = [median / words, (sorted[0] as number) / words].map((one) => one.toFixed(0).padStart(5));
  console.log(`${name.padEnd(22)} ${String(words).padStart(6)} words ${shown[0]} ns a word (least ${shown[1]})`);
}

if (lastTerm === '') throw new Error('The texts have no terms.');

/** Nanoseconds per call. */
function measure(text: string): number {
  const start = process.cpuUsage();
  let calls = 0;
  let microseconds = 0;
  while (microseconds < (secondsEach * 1e6) / ROUNDS) {
    for (let call = 0; call < 20; call++) analyzeText(text, 0, keep);
    calls += 20;
    const { user, system } = process.cpuUsage(start);
    microseconds = user + system;
  }
  return (microseconds * 1e3) / calls;
}

/** A string of its own, as the text of a page is. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}
