/** Results of a search for a terminal. Text from pages is made safe here, before our own colours are added. */
import type { CopyAnswer, CopyResult, SearchedTime } from '../../copy/search/search-copy.ts';
import { count, plural, safeLines, safeText, timeText } from '../../core/text/readable.ts';
import { describeQuery } from '../../search/query/describe-query.ts';
import { FACETS, type Facets } from '../../search/rank/facets.ts';

export interface SearchLook {
  readonly colours: boolean;
  readonly explains: boolean;
  readonly offset: number;
  readonly limit: number;
  /** The flags that name this crawl in another command. */
  readonly again: string;
  readonly time: SearchedTime;
  /** Similar pages were asked for, and no words. */
  readonly isOnlySimilar: boolean;
}

/** More matching versions of a page are counted, not listed. */
const MOST_VERSIONS = 5;

const BOLD = ['\u001b[1m', '\u001b[22m'] as const;
const BLUE = ['\u001b[36m', '\u001b[39m'] as const;
const FAINT = ['\u001b[2m', '\u001b[22m'] as const;
/** Without colours, words of the query stand between these. */
const PLAIN_MARK = ['[', ']'] as const;

export function searchLines(answer: CopyAnswer, look: SearchLook): string[] {
  const { total, results, cutPatterns } = answer;
  const lines = [countLine(answer, look)];
  if (answer.didYouMean !== null) lines.push(`Did you mean: ${safeText(answer.didYouMean)}`);
  if (look.explains) lines.push(...describeQuery(answer.query).map(safeText));
  for (const pattern of cutPatterns) {
    lines.push(
      `The pattern ${safeText(pattern)} matches too many words; some pages may be missing. Write more letters.`,
    );
  }
  for (const [i, result] of results.entries()) lines.push('', ...resultLines(result, look.offset + i + 1, look));
  if (answer.facets !== null) lines.push('', ...facetLines(answer.facets));
  const next = look.offset + results.length;
  if (results.length > 0 && next < total) lines.push('', `More results: add --offset ${next}`);
  return lines;
}

/** `behind`: the number of URLs with changes that the index of versions does not have. */
export function behindLine(behind: number, again: string): string {
  const next = `to add them: orbweaver index --versions ${again}`;
  return `The index of versions does not have the newest versions of ${plural(behind, 'URL')}; ${next}`;
}

function countLine({ total, results, indexedPages, seconds }: CopyAnswer, look: SearchLook): string {
  const { offset, time, isOnlySimilar } = look;
  const what = plural(indexedPages, time === 'ever' ? 'version' : 'page');
  const then = typeof time === 'object' ? ` as of ${timeText(time.atMs)}` : '';
  const searched = `${what}${then} searched in ${seconds.toFixed(2)} s`;
  if (total === 0) return isOnlySimilar ? `No page is similar (${searched})` : `No page matches (${searched})`;
  const shown = results.length < total ? `, ${offset + 1} to ${offset + results.length}` : '';
  if (isOnlySimilar) return `${plural(total, 'page')} with words of this page found${shown} (${searched})`;
  return `${plural(total, 'page')} found${results.length === 0 ? '' : shown} (${searched})`;
}

function resultLines(result: CopyResult, number: number, look: SearchLook): string[] {
  const paint = (text: string, [on, off]: readonly [string, string]) => (look.colours ? `${on}${text}${off}` : text);
  const { url, title, fetchedAtMs, language, hasAll, score } = result;
  const until = result.versions?.untilMs ?? null;
  const time = until === null ? timeText(fetchedAtMs) : `${timeText(fetchedAtMs)} to ${timeText(until)}`;
  const facts = [time, language, hasAll || look.isOnlySimilar ? '' : 'not all words', score.toFixed(2)];
  const head = `${number}. ${paint(safeText(title) || safeText(url), BOLD)}`;
  const lines = [head, `   ${paint(safeText(url), BLUE)}`];
  const snippet = snippetText(result, look.colours);
  if (snippet !== '') lines.push(`   ${snippet}`);
  lines.push(`   ${paint(facts.filter((fact) => fact !== '').join(' · '), FAINT)}`);
  lines.push(...versionLines(result));
  if (look.explains) lines.push(...explainLines(result));
  return lines;
}

/** The other versions of the page that match. */
function versionLines({ versions, fetchedAtMs }: CopyResult): string[] {
  const others = (versions?.matching ?? []).filter(({ fromMs }) => fromMs !== fetchedAtMs);
  if (others.length === 0) return [];
  const listed = others.slice(0, MOST_VERSIONS).map(({ fromMs }) => timeText(fromMs));
  const more = others.length > listed.length ? ` and ${count(others.length - listed.length)} more` : '';
  return [`   also in ${plural(others.length, 'other version')}: ${listed.join(', ')}${more}`];
}

/** The passage with its marks. Each part is made safe on its own, because that may change its length. */
function snippetText({ snippet, marks }: CopyResult, colours: boolean): string {
  const [on, off] = colours ? BOLD : PLAIN_MARK;
  let text = '';
  let at = 0;
  for (const { from, to } of marks) {
    text += oneLine(snippet.slice(at, from)) + on + oneLine(snippet.slice(from, to)) + off;
    at = to;
  }
  return text + oneLine(snippet.slice(at));
}

function oneLine(text: string): string {
  return safeLines(text).replace(/\s/g, ' ');
}

function explainLines({ scoreParts }: CopyResult): string[] {
  if (scoreParts === null) return [];
  const words = scoreParts.words.map(
    ({ text, gain, rarity }) => `     ${gain.toFixed(2)}  ${safeText(text)} (rarity ${rarity.toFixed(2)})`,
  );
  return [...words, `     ${scoreParts.proximityAndRank.toFixed(2)}  words that stand together, and links to the page`];
}

const FACET_TITLES: Readonly<Record<(typeof FACETS)[number], string>> = {
  host: 'Hosts',
  fileType: 'File types',
  language: 'Languages',
  year: 'Years',
};

function facetLines(facets: Facets): string[] {
  return FACETS.map((name) => {
    const values = facets[name].map(({ value, pages }) => `${safeText(value) || 'unknown'} ${pages}`);
    return `${FACET_TITLES[name]}: ${values.join(', ')}`;
  });
}
