/**
 * Writes the tokens of a paragraph as Markdown or as plain text. Emphasis is written with `*` where the rules of
 * CommonMark (6.2, left- and right-flanking delimiter runs) accept it, and with HTML tags elsewhere.
 */
import { codeSpan, escapeLineStart, escapeText, linkTarget } from './escape.ts';
import { FORMAT, TOKEN, type Token } from './inline-text.ts';

const DELIMITERS = ['**', '*', '~~'] as const;
const START_TAGS = ['<strong>', '<em>', '<del>', '<sub>', '<sup>', '<kbd>'] as const;
const END_TAGS = ['</strong>', '</em>', '</del>', '</sub>', '</sup>', '</kbd>'] as const;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** How a line break is written: in a paragraph, in a cell of a table, in a heading. */
export const MARKDOWN_BREAK = '\\\n';
export const CELL_BREAK = '<br>';
export const NO_BREAK = ' ';

export function renderMarkdown(tokens: readonly Token[], lineBreak: string): string {
  if (tokens.length === 0) return '';
  const only = tokens[0] as Token;
  if (tokens.length === 1 && only.kind === TOKEN.TEXT) return escapeText(only.text, '', ' ', false);
  const useTags = chooseTags(tokens);
  const parts: string[] = [];
  let linkDepth = 0;
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text, format } = tokens[i] as Token;
    switch (kind) {
      case TOKEN.TEXT:
        parts.push(escapeText(text, parts.at(-1)?.at(-1) ?? '', charAfter(tokens, i), linkDepth > 0));
        break;
      case TOKEN.SPACE:
        parts.push(' ');
        break;
      case TOKEN.BREAK:
        parts.push(lineBreak);
        break;
      case TOKEN.CODE:
        parts.push(codeSpan(text));
        break;
      case TOKEN.OPEN:
        if (format === FORMAT.LINK) linkDepth++;
        parts.push(format === FORMAT.LINK ? '[' : delimiter(format, useTags[i] === 1, START_TAGS));
        break;
      case TOKEN.CLOSE:
        if (format === FORMAT.LINK) linkDepth--;
        if (format === FORMAT.LINK) parts.push(`](${linkTarget(text)})`);
        else parts.push(delimiter(format, useTags[i] === 1, END_TAGS));
        break;
      default:
        parts.push(text);
    }
  }
  return parts.join('');
}

/** Escapes what would start a block, in each line of a paragraph. */
export function escapeLines(paragraph: string): string {
  if (!paragraph.includes('\n')) return escapeLineStart(paragraph);
  return paragraph.split('\n').map(escapeLineStart).join('\n');
}

function delimiter(format: number, usesTags: boolean, tags: readonly string[]): string {
  return usesTags || format >= DELIMITERS.length ? (tags[format] as string) : (DELIMITERS[format] as string);
}

/** Finds the tokens that open or close a format and must be written as tags, although the format has a delimiter. */
function chooseTags(tokens: readonly Token[]): Uint8Array {
  const useTags = new Uint8Array(tokens.length);
  const open: number[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { kind, format } = tokens[i] as Token;
    if (format < 0 || format >= DELIMITERS.length) continue;
    if (kind === TOKEN.OPEN) open.push(i);
    else if (kind === TOKEN.CLOSE) {
      const start = open.pop() as number;
      if (canOpen(tokens, useTags, start, open.length > 0) && canClose(tokens, useTags, i)) continue;
      useTags[start] = 1;
      useTags[i] = 1;
    }
  }
  return useTags;
}

/** Formats inside of this one are decided before it. */
function canOpen(tokens: readonly Token[], useTags: Uint8Array, at: number, isNested: boolean): boolean {
  const { format } = tokens[at] as Token;
  let [before, after] = [at - 1, at + 1];
  while (!useTags[before] && isOfRun(tokens[before], format, TOKEN.OPEN)) before--;
  while (!useTags[after] && isOfRun(tokens[after], format, TOKEN.OPEN)) after++;
  // `*a***b**` is ambiguous, and inside of emphasis so is a sign that could also be an end.
  if (isOfRun(tokens[before], format, TOKEN.CLOSE)) return false;
  if (isNested && before === at - 1 && !isWhite(tokens[before])) return false;
  return !isPunctuation(firstOf(tokens[after])) || isApart(tokens[before], true);
}

function canClose(tokens: readonly Token[], useTags: Uint8Array, at: number): boolean {
  const { format } = tokens[at] as Token;
  let [before, after] = [at - 1, at + 1];
  while (!useTags[before] && isOfRun(tokens[before], format, TOKEN.CLOSE)) before--;
  while (!useTags[after] && isOfRun(tokens[after], format, TOKEN.CLOSE)) after++;
  return !isPunctuation(lastOf(tokens[before])) || isApart(tokens[after], false);
}

/** True if the token is written with the same sign, and continues a run of these signs. */
function isOfRun(token: Token | undefined, format: number, kind: number): boolean {
  if (token?.kind !== kind || token.format >= DELIMITERS.length) return false;
  return (token.format === FORMAT.DELETED) === (format === FORMAT.DELETED);
}

function isWhite(token: Token | undefined): boolean {
  return token === undefined || token.kind === TOKEN.SPACE || token.kind === TOKEN.BREAK;
}

/** True if the neighbour is the end of the paragraph, white space or punctuation. */
function isApart(neighbour: Token | undefined, isBefore: boolean): boolean {
  if (neighbour === undefined || isWhite(neighbour)) return true;
  return isPunctuation(isBefore ? lastOf(neighbour) : firstOf(neighbour));
}

/** Tokens that are no text begin and end with a punctuation character: a bracket, a backtick, a tag. */
function firstOf(token: Token | undefined): string {
  return token?.kind === TOKEN.TEXT ? (token.text[0] as string) : '.';
}

function lastOf(token: Token | undefined): string {
  return token?.kind === TOKEN.TEXT ? (token.text.at(-1) as string) : '.';
}

function isPunctuation(sign: string): boolean {
  return PUNCTUATION.test(sign);
}

function charAfter(tokens: readonly Token[], at: number): string {
  const next = tokens[at + 1];
  if (next === undefined || next.kind === TOKEN.SPACE || next.kind === TOKEN.BREAK) return ' ';
  return next.kind === TOKEN.CLOSE && next.format === FORMAT.LINK ? ' ' : '';
}

/** Plain text: formats disappear, except that 10⁶ must not become 106. */
export function renderText(tokens: readonly Token[], lineBreak: string): string {
  const parts: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { kind, text, format } = tokens[i] as Token;
    if (kind === TOKEN.SPACE) parts.push(' ');
    else if (kind === TOKEN.BREAK) parts.push(lineBreak);
    else if (kind === TOKEN.OPEN) {
      if (format === FORMAT.SUP && i > 0 && /^[\d+\-−]/.test(tokens[i + 1]?.text ?? '')) parts.push('^');
    } else if (kind !== TOKEN.CLOSE) parts.push(text);
  }
  return parts.join('');
}
