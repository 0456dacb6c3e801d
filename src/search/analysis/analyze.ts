const WORD = /[\p{L}\p{N}]+/gu;
export function analyzeText(
  text: string,
  firstPosition: number,
  onTerm: (term: string, position: number) => void,
): number {
  let position = firstPosition;
  for (const [word] of text.matchAll(WORD)) onTerm(word.toLowerCase(), position++);
  return position;
}
export interface QueryWay {
  readonly terms: readonly { readonly term: string; readonly offset: number }[];
}
export function analyzeQuery(text: string): readonly QueryWay[] {
  const terms: { term: string; offset: number }[] = [];
  analyzeText(text, 0, (term, offset) => void terms.push({ term, offset }));
  return terms.length === 0 ? [] : [{ terms }];
}
export function stemOf(term: string, language: string): string | null {
  return language === 'en' ? term.replace(/(ing|ed|s)$/, '') : null;
}
