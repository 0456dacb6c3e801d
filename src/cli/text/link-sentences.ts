/** Describes the links of a URL in sentences. Text from the web is made safe for a terminal. */
import type { LinkFacts, LinksWanted, UrlLinks } from '../../copy/read-links.ts';
import { count, safeText } from '../../core/text/readable.ts';
import {
  type Distance,
  type LinkAttributes,
  OTHER_HOST,
  type Position,
  type Visibility,
} from '../../graph/link-attributes.ts';

const HINTS_SHOWN = 5;

export interface Redirects {
  /** The target, if the URL itself redirects. */
  readonly to: string | null;
  /** Some of the URLs that redirect to this URL. */
  readonly from: readonly string[];
}

export function linkSentences(links: UrlLinks, wanted: LinksWanted, redirects: Redirects, again: string): string[] {
  const { url, backlinks, forwardLinks, rank, from, to } = links;
  return [
    url,
    `${pagesLink(backlinks)} to it; it links to ${forwardLinks === 1 ? 'one URL' : `${count(forwardLinks)} URLs`}.`,
    rank === 0 ? 'Its PageRank is not computed yet.' : `Its PageRank is ${rankText(rank)}.`,
    ...redirectHints(redirects, again),
    ...(wanted.from === 0 ? [] : section('Links to it, highest PageRank first', from, backlinks)),
    ...(wanted.to === 0 ? [] : section('Links from it', to, forwardLinks)),
    ...elsewhereHints([...from, ...to]),
  ];
}

function pagesLink(backlinks: number): string {
  if (backlinks === 0) return 'No page links';
  return backlinks === 1 ? 'One page links' : `${count(backlinks)} pages link`;
}

/** A link counts for the URL that it names, even if that URL redirects. */
function redirectHints({ to, from }: Redirects, again: string): string[] {
  const see = (url: string) => `orbweaver links ${url} ${again}`;
  return [
    ...(to === null ? [] : [`It redirects. Links to it do not count for its target: ${see(to)}`]),
    ...from.map((url) => `Another URL redirects to it. Links to that URL are listed separately: ${see(url)}`),
  ];
}

function section(heading: string, links: readonly LinkFacts[], total: number): string[] {
  if (total === 0) return [];
  const more = total > links.length ? [`  … and ${count(total - links.length)} more; --limit ${total} shows all`] : [];
  return ['', `${heading}:`, ...links.flatMap(linkLines), ...more];
}

function linkLines(link: LinkFacts): string[] {
  const { url, rank } = link;
  const title = safeText(link.title);
  const facts = [anchorText(link), attributeWords(link), ...(rank === 0 ? [] : [`PageRank ${rankText(rank)}`])];
  return [`  ${url}${title === '' ? '' : `  "${title}"`}`, `    ${facts.join('; ')}`];
}

/** The pages of many links are in few files, so each file is named once. */
function elsewhereHints(links: readonly LinkFacts[]): string[] {
  const told = [...new Set(links.flatMap(({ elsewhere }) => elsewhere ?? []))];
  if (told.length === 0) return [];
  const more = told.length > HINTS_SHOWN ? [`  … and ${count(told.length - HINTS_SHOWN)} more files`] : [];
  return [
    '',
    'Link texts that cannot be read here:',
    ...told.slice(0, HINTS_SHOWN).map((line) => `  ${safeText(line)}`),
    ...more,
  ];
}

function anchorText({ anchor, elsewhere }: LinkFacts): string {
  if (elsewhere !== null) return 'its text cannot be read here';
  if (anchor === null) return 'its text is not in the archive';
  const text = safeText(anchor);
  return text === '' ? 'no text' : `"${text}"`;
}

const VISIBILITY_WORDS: Readonly<Record<Visibility, string>> = {
  1: 'plain',
  2: 'bold or italic',
  3: 'bold and italic',
};
const POSITION_WORDS: Readonly<Record<Position, string>> = { 3: 'first third', 2: 'middle third', 1: 'last third' };

/** `plain, first third, other host`. */
function attributeWords({ visibility, position, distance }: LinkAttributes): string {
  return [VISIBILITY_WORDS[visibility], POSITION_WORDS[position], distanceWord(distance)].join(', ');
}

function distanceWord(distance: Distance): string {
  return distance === OTHER_HOST ? 'other host' : 'same host';
}

function rankText(rank: number): string {
  return String(Number(rank.toPrecision(3)));
}
