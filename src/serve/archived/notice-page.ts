/** Small pages that stand in the place of an archived response which cannot be shown. Everything in them is escaped. */
import { safeText } from '../../core/safe-text.ts';

const MAX_CHARS = 4_000;
const STYLE =
  'body{font:1rem/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'code{overflow-wrap:anywhere}';

export interface Notice {
  readonly title: string;
  readonly text: string;
  /** The original address, shown as text. */
  readonly url: string;
  /** A link to another archived response. */
  readonly link?: { readonly href: string; readonly label: string };
}

export function noticePage({ title, text, url, link }: Notice): Buffer {
  const more = link === undefined ? '' : `<p><a href="${escaped(link.href)}">${escaped(link.label)}</a></p>`;
  return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><h1>${escaped(title)}</h1><p>${escaped(text)}</p><p><code dir="ltr">${escaped(url)}</code></p>${more}
</body></html>
`);
}

function escaped(text: string): string {
  const safe = safeText(text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text);
  return safe.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
