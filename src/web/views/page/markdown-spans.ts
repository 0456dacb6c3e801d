/** Reads the marks inside a line of Markdown: code, strong and emphasised text, links and pictures. */
export type Span =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly spans: readonly Span[] }
  | { readonly kind: 'link'; readonly url: string; readonly spans: readonly Span[] }
  | { readonly kind: 'image'; readonly url: string; readonly text: string };

const MAX_DEPTH = 6;
/** Where a mark may begin; everything before the next one is text. */
const MARK = /[\\`*_![]/;

export function readSpans(text: string, depth = 0): readonly Span[] {
  const spans: Span[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '') spans.push({ kind: 'text', text: plain });
    plain = '';
  };
  let at = 0;
  while (at < text.length) {
    const next = text.slice(at).search(MARK);
    if (next < 0) {
      plain += text.slice(at);
      break;
    }
    plain += text.slice(at, at + next);
    at += next;
    if (text[at] === '\\' && /[!-/:-@[-`{-~\n]/.test(text[at + 1] ?? '')) {
      plain += text[at + 1] === '\n' ? '\n' : text[at + 1];
      at += 2;
      continue;
    }
    const found = depth < MAX_DEPTH ? markAt(text, at, depth) : null;
    if (found === null) {
      plain += text[at];
      at++;
      continue;
    }
    flush();
    spans.push(found.span);
    at = found.end;
  }
  flush();
  return spans;
}

interface Found {
  readonly span: Span;
  readonly end: number;
}

function markAt(text: string, at: number, depth: number): Found | null {
  const letter = text[at]!;
  if (letter === '`') return codeAt(text, at);
  if (letter === '[') return linkAt(text, at, depth);
  if (letter === '!' && text[at + 1] === '[') {
    const link = linkAt(text, at + 1, depth);
    if (link === null || link.span.kind !== 'link') return null;
    return { span: { kind: 'image', url: link.span.url, text: textOf(link.span.spans) }, end: link.end };
  }
  if (letter !== '*' && letter !== '_') return null;
  const mark = text[at + 1] === letter ? letter + letter : letter;
  const start = at + mark.length;
  if (start >= text.length || /\s/.test(text[start]!)) return null;
  // An underscore within a word is a part of the word.
  if (letter === '_' && /\w/.test(text[at - 1] ?? '')) return null;
  const close = text.indexOf(mark, start + 1);
  if (close < 0 || /\s/.test(text[close - 1]!)) return null;
  if (letter === '_' && /\w/.test(text[close + mark.length] ?? '')) return null;
  const spans = readSpans(text.slice(start, close), depth + 1);
  return { span: { kind: mark.length === 2 ? 'strong' : 'em', spans }, end: close + mark.length };
}

function codeAt(text: string, at: number): Found | null {
  const ticks = /^`+/.exec(text.slice(at, at + 20))![0];
  const close = text.indexOf(ticks, at + ticks.length);
  if (close < 0) return null;
  const inner = text.slice(at + ticks.length, close).replace(/^ (.+) $/s, '$1');
  return { span: { kind: 'code', text: inner }, end: close + ticks.length };
}

function linkAt(text: string, at: number, depth: number): Found | null {
  const close = closingBracket(text, at);
  if (close < 0 || text[close + 1] !== '(') return null;
  const target = readTarget(text, close + 2);
  if (target === null) return null;
  const spans = readSpans(text.slice(at + 1, close), depth + 1);
  return { span: { kind: 'link', url: target.url, spans }, end: target.end };
}

const MAX_TARGET = 8_000;

/** Reads `url)`, `<url>)` or `url "title")`. The title is dropped. */
function readTarget(text: string, from: number): { readonly url: string; readonly end: number } | null {
  const last = Math.min(text.length, from + MAX_TARGET);
  const isBracketed = text[from] === '<';
  const start = isBracketed ? from + 1 : from;
  let open = 0;
  let end = start;
  for (; end < last; end++) {
    const letter = text[end]!;
    if (isBracketed ? letter === '>' || letter === '\n' : /\s/.test(letter) || (letter === ')' && open === 0)) break;
    if (letter === '(') open++;
    else if (letter === ')') open--;
  }
  let after = isBracketed ? end + 1 : end;
  if (text[after] === ' ' && text[after + 1] === '"') after = text.indexOf('"', after + 2) + 1;
  return after > 0 && after < last && text[after] === ')' ? { url: text.slice(start, end), end: after + 1 } : null;
}

const MAX_LABEL = 2_000;

function closingBracket(text: string, at: number): number {
  let depth = 0;
  for (let end = at; end < Math.min(text.length, at + MAX_LABEL); end++) {
    if (text[end] === '\\') end++;
    else if (text[end] === '[') depth++;
    else if (text[end] === ']' && --depth === 0) return end;
  }
  return -1;
}

function textOf(spans: readonly Span[]): string {
  return spans.map((span) => ('text' in span ? span.text : textOf(span.spans))).join('');
}
