/** The first page of a mirror: its seeds and its hosts. */
import { safeText } from '../../core/safe-text.ts';
import { INDEX_FILE, relativeUrl } from '../files/file-names.ts';
import type { FilePlan } from '../files/file-plan.ts';
import { quoteAttribute } from './rewrite/byte-edits.ts';

const MAX_ROWS = 1_000;
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}' +
  'table{border-collapse:collapse}td,th{text-align:left;padding:.2rem 1rem .2rem 0}';

export function indexPage(plan: FilePlan, atMs: number | null): Buffer {
  const hosts = plan.hosts(MAX_ROWS + 1);
  const seeds = plan.seeds(MAX_ROWS).flatMap(({ url, title }) => {
    const path = plan.pathOf(url);
    return path === null ? [] : [`<li>${linkTo(path, title === '' ? url : title)} <small>${text(url)}</small></li>`];
  });
  const rows = hosts
    .slice(0, MAX_ROWS)
    .map(({ host, files, path }) => `<tr><td>${linkTo(path, host)}</td><td>${files}</td></tr>`);
  const more = hosts.length > MAX_ROWS ? `<p>More hosts have folders here; the first ${MAX_ROWS} are listed.</p>` : '';
  const when = atMs === null ? '' : ` as of ${new Date(atMs).toISOString()}`;
  return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><title>Mirror</title><style>${STYLE}</style></head>
<body><h1>Mirror</h1>
<p>An offline copy of web pages${when}, made by Orbweaver. Links to pages that are not in the copy lead to the web.</p>
<h2>Start</h2><ul>${seeds.join('\n')}</ul>
<h2>Hosts</h2><table><tr><th>Host</th><th>Files</th></tr>${rows.join('\n')}</table>${more}
</body></html>
`);
}

function linkTo(path: string, label: string): string {
  return `<a href=${quoteAttribute(relativeUrl(INDEX_FILE, path))}>${text(label)}</a>`;
}

function text(from: string): string {
  return quoteAttribute(safeText(from)).slice(1, -1);
}

/** Stands in the place of a page whose response the archive cannot return, so that no link leads nowhere. */
export function unreadablePage(url: string): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Not readable</title></head>
<body><h1>Not readable</h1><p>The archive could not return ${text(url)} when this mirror was made.</p></body></html>
`);
}
