/**
 * Checks every reference in the HTML files of a mirror, with a parser that is not ours (parse5). In: a folder and the
 * URLs of the pages that were fetched. Out: references to files that do not exist, links to the web that should lead to
 * a file, and references that a browser would request from the network.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'parse5';

export interface LinkCheck {
  files: number;
  references: number;
  readonly broken: string[];
  readonly notLocal: string[];
  readonly remote: string[];
}

interface Element {
  readonly tagName?: string;
  readonly attrs?: readonly { readonly name: string; readonly value: string }[];
  readonly childNodes?: readonly Element[];
  readonly content?: Element;
}

const LINKS = new Set(['a href', 'area href', 'form action']);
const EMBEDDED = new Set(
  'img src|script src|iframe src|frame src|video src|video poster|audio src|source src|embed src|object data|input src|track src'.split(
    '|',
  ),
);

export function checkLinks(folder: string, fetched: ReadonlySet<string>): LinkCheck {
  const check: LinkCheck = { files: 0, references: 0, broken: [], notLocal: [], remote: [] };
  const names = readdirSync(folder, { recursive: true }) as string[];
  for (const name of names.filter((some) => /\.x?html?$/.test(some))) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    let html: string;
    try {
      html = readFileSync(path, 'utf8');
    } catch {
      continue;
    }
    check.files++;
    const base = pathToFileURL(path).href;
    for (const [place, href] of referencesOf(parse(html) as unknown as Element)) {
      check.references++;
      const url = URL.parse(href, base);
      if (url?.protocol === 'file:' && !existsSync(fileURLToPath(`file://${url.pathname}`))) {
        check.broken.push(`${name}: ${place} ${href}`);
      }
      if (url === null || !/^https?:$/.test(url.protocol)) continue;
      if (EMBEDDED.has(place)) check.remote.push(`${name}: ${place} ${href}`);
      url.hash = '';
      if (LINKS.has(place) && fetched.has(url.href)) check.notLocal.push(`${name}: ${place} ${href}`);
    }
  }
  return check;
}

function referencesOf(document: Element): [place: string, href: string][] {
  const found: [string, string][] = [];
  const waiting: Element[] = [document];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { name, value } of node.attrs ?? []) {
      const place = `${node.tagName} ${name}`;
      const isStyle = node.tagName === 'link' && name === 'href' && /stylesheet|icon/.test(attribute(node, 'rel'));
      if (LINKS.has(place)) found.push([place, value]);
      else if (EMBEDDED.has(place)) found.push([place, value]);
      else if (isStyle) found.push(['img src', value]);
    }
    waiting.push(...(node.childNodes ?? []), ...(node.content === undefined ? [] : [node.content]));
  }
  return found;
}

function attribute({ attrs = [] }: Element, name: string): string {
  return attrs.find((some) => some.name === name)?.value.toLowerCase() ?? '';
}
