/**
 * Formats hunks as one self-contained HTML page. The contents of crawled pages appear only as text:
 * everything is escaped, and a content security policy allows only the page's own style. So even an
 * error in the escaping could not run anything.
 */
import { hash } from 'node:crypto';
import { type DiffHunk, piecesOf } from './hunks.ts';
import { type DiffPiece, shortenSame } from './piece.ts';

export interface HtmlHeading {
  readonly title: string;
  /** Paragraphs above the hunks. */
  readonly lines: readonly string[];
}

const STYLE = `
:root { color-scheme: light dark; --del: #ffd7d5; --ins: #d2f4d3; --edge: #8886; }
@media (prefers-color-scheme: dark) { :root { --del: #5d1f1f; --ins: #1d4a26; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.2rem; overflow-wrap: anywhere; }
h2 { font-size: .9rem; font-weight: normal; opacity: .7; margin: 0; }
section { border: 1px solid var(--edge); border-radius: .4rem; padding: .5rem 1rem; margin: 1rem 0; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; unicode-bidi: plaintext; }
del, ins, span { unicode-bidi: isolate; }
del { background: var(--del); text-decoration: line-through; }
ins { background: var(--ins); text-decoration: underline; }
`;
const POLICY = `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; base-uri 'none'; form-action 'none'`;

export function asHtml(hunks: readonly DiffHunk[], { title, lines }: HtmlHeading): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escapeText(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeText(title)}</h1>
${lines.map((line) => `<p>${escapeText(line)}</p>`).join('\n')}
${hunks.map(sectionOf).join('\n')}
</body>
</html>
`;
}

function sectionOf(hunk: DiffHunk): string {
  // HTML ignores a line break directly after <pre>, so an additional one is always written.
  const text = shortenSame(piecesOf(hunk)).map(elementOf).join('');
  return `<section><h2>line ${hunk.newLine}</h2>\n<pre>\n${text}</pre></section>`;
}

const ELEMENTS = { same: 'span', removed: 'del', added: 'ins' } as const;

function elementOf({ kind, text }: DiffPiece): string {
  return `<${ELEMENTS[kind]}>${escapeText(text)}</${ELEMENTS[kind]}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that HTML does not allow, including half surrogate pairs, become a replacement character. */
function escapeText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"']/g, (sign) => ESCAPES[sign]!)
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/g, '\ufffd');
}
