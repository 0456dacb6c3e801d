/**
 * Describes the answer of a host for a path that does not exist, and recognises it again. Many servers say 200 and show
 * an error page (a soft 404), or redirect to one page.
 *
 * Two responses are the same answer if their bodies are equal, also after each has lost its own URL, all digits and all
 * random identifiers; or if they redirect to the same place. Everything here is linear in the size of the body.
 */
import { hash } from 'node:crypto';
import type { NotFoundAnswer } from '../../../store/contract.ts';
import { pathOf } from '../../../url/host.ts';

/** The part of a response that is compared. */
export interface Response {
  readonly url: string;
  readonly title: string;
  /** SHA-256 of the body. */
  readonly digest: string;
  /** Words in blocks that the host has not shown before. */
  readonly newWords: number;
  readonly body: Buffer;
  readonly redirectTo: string | null;
}

/** Larger pages are compared by their digest only: an error page is short. */
const MAX_REDUCED_BYTES = 128 * 1024;
/** A page of which less is left says nothing but its own URL, and may be a page as good as any other. */
const MIN_LEFT_CHARS = 40;
/** A longer word with letters and digits may be an identifier that each answer has anew. */
const LONG_WORD_CHARS = 8;
const IN_WORD = /[\w-]/;
/** A shorter part of a URL may stand in the text by chance. */
const MIN_OWN_CHARS = 5;

export function answerOf(response: Response, askedAtMs: number): NotFoundAnswer {
  const { url, digest, redirectTo } = response;
  const about = { askedAtMs, probe: url };
  if (redirectTo !== null) return { kind: 'redirect', ...about, target: reducedTarget(redirectTo, url) };
  return { kind: 'page', ...about, digest, title: reduced(response.title, url), reduced: reducedDigest(response) };
}

export function isSameAnswer(answer: NotFoundAnswer, response: Response): boolean {
  const { url, title, digest, redirectTo } = response;
  if (answer.kind === 'redirect') return redirectTo !== null && reducedTarget(redirectTo, url) === answer.target;
  if (answer.kind !== 'page' || redirectTo !== null) return false;
  if (digest === answer.digest) return true;
  // The title is compared first, because it costs nothing.
  return reduced(title, url) === answer.title && reducedDigest(response) === answer.reduced;
}

/** The digest of the body without what differs between two answers for paths that do not exist. */
function reducedDigest(response: Response): string {
  return digestOfRest(response, reduced);
}

/** Like the digest that answers are compared by, but with digits: pages of any site may differ in a number alone. */
export function suspectDigest(response: Response): string {
  return digestOfRest(response, withoutOwn);
}

function digestOfRest({ body, url, digest }: Response, rest: (text: string, url: string) => string): string {
  if (body.length > MAX_REDUCED_BYTES) return digest;
  const left = rest(body.toString('latin1'), url);
  return left.length < MIN_LEFT_CHARS ? digest : hash('sha256', Buffer.from(left, 'latin1'), 'hex');
}

/** The text without the URL that was asked for, without parts of it, without identifiers, and without digits. */
function reduced(text: string, url: string): string {
  return withoutOwn(text, url).replace(/\d/g, '');
}

function withoutOwn(text: string, url: string): string {
  let rest = text;
  for (const own of ownTexts(url, text.length)) rest = rest.replaceAll(own, '');
  return withoutIdentifiers(rest);
}

/** Long words with letters and digits are left out. Only words with a digit are looked at, because most have none. */
function withoutIdentifiers(text: string): string {
  const digit = /\d/g;
  let kept = '';
  let from = 0;
  for (let found = digit.exec(text); found !== null; found = digit.exec(text)) {
    let start = found.index;
    while (start > from && IN_WORD.test(text[start - 1] as string)) start--;
    let end = found.index + 1;
    while (end < text.length && IN_WORD.test(text[end] as string)) end++;
    const word = text.slice(start, end);
    kept += text.slice(from, word.length >= LONG_WORD_CHARS && /[a-z]/i.test(word) ? start : end);
    from = end;
    digit.lastIndex = end;
  }
  return kept + text.slice(from);
}

/** The target of a redirect. A query that repeats the URL is left out: a search for it, or a way back to it. */
export function reducedTarget(target: string, url: string): string {
  const at = target.indexOf('?');
  const query = target.slice(at + 1);
  return at !== -1 && ownTexts(url, query.length).some((own) => query.includes(own))
    ? target.slice(0, at)
    : reduced(target, url);
}

/** The forms in which a text of at most so many characters may repeat its URL, longest first. */
function ownTexts(url: string, maxChars: number): string[] {
  const path = pathOf(url);
  const [name = '', query = ''] = path.split('?', 2);
  const last = name.slice(name.lastIndexOf('/') + 1);
  const values = query.split('&', 8).map((pair) => pair.slice(pair.indexOf('=') + 1));
  // A page of search results repeats the words of the path.
  const words = name
    .replace(/\.[^./]*$/, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const spellings = [words.join(' '), words.join('+')];
  const all = [url, path, name, name.slice(1), last, last.replace(/\.[^.]*$/, ''), ...spellings, ...values];
  // The other forms of a text are never shorter. Titles are short, and every page has one.
  const plain = all.filter(({ length }) => length >= MIN_OWN_CHARS && length <= maxChars);
  const forms = plain.flatMap((text) => [text, encodeURIComponent(text), text.replaceAll('&', '&amp;')]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}
