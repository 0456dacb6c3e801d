/**
 * Compares two texts by their shingles of four words, like scrapinghub/article-extraction-benchmark. The only difference:
 * a sign of Chinese or Japanese is a word, because their words have no spaces between them.
 */
export interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

const SHINGLE = 4;
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+/gu;

export function scoreText(truth: string, found: string): Score {
  const [wanted, got] = [shinglesOf(truth), shinglesOf(found)];
  let hits = 0;
  for (const [shingle, count] of got.counts) hits += Math.min(count, wanted.counts.get(shingle) ?? 0);
  const precision = got.total === 0 ? 0 : hits / got.total;
  const recall = wanted.total === 0 ? 0 : hits / wanted.total;
  return { precision, recall, f1: hits === 0 ? 0 : (2 * hits) / (got.total + wanted.total) };
}

function shinglesOf(text: string): { counts: Map<string, number>; total: number } {
  const words = text.match(WORDS) ?? [];
  const counts = new Map<string, number>();
  const total = words.length === 0 ? 0 : Math.max(1, words.length - SHINGLE + 1);
  for (let i = 0; i < total; i++) {
    const shingle = words.slice(i, i + SHINGLE).join(' ');
    counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  }
  return { counts, total };
}

/** The means over some pages. */
export function meanOf(scores: readonly Score[]): Score {
  const mean = (key: keyof Score): number => scores.reduce((sum, score) => sum + score[key], 0) / scores.length;
  return { precision: mean('precision'), recall: mean('recall'), f1: mean('f1') };
}
