/** Reads JSON Feed 1.0 and 1.1. */

import { trimUrl } from '../html/scan-tag.ts';
import { foldText } from '../html/text/fold-text.ts';
import { LinkList } from '../link-list.ts';
import {
  type LinkKind,
  MAX_DESCRIPTION_CHARS,
  MAX_LINK_TEXT_CHARS,
  MAX_TITLE_CHARS,
  type ParsedPage,
} from '../parsed-page.ts';

const MAX_JSON_CHARS = 16 * 1024 * 1024;
const VERSION = /^https?:\/\/(www\.)?jsonfeed\.org\/version\/1/;

/** Fills `page` and returns true. If the text is not a JSON Feed, returns false and does not change `page`. */
export function readJsonFeed(json: string, page: ParsedPage, maxLinks: number): boolean {
  // Most JSON is not a feed. Searching for the domain name first avoids parsing it.
  if (json.length > MAX_JSON_CHARS || !json.includes('jsonfeed.org')) return false;
  const feed = parseObject(json);
  if (feed === null || !VERSION.test(textOf(feed.version))) return false;

  const links = new LinkList(maxLinks);
  const add = (value: unknown, kind: LinkKind, text: string): void => {
    const href = trimUrl(textOf(value));
    if (href !== '') links.add(href, kind, text, kind === 'pagination' ? 'next' : '');
  };
  page.title = foldText(textOf(feed.title), MAX_TITLE_CHARS);
  page.description = foldText(textOf(feed.description), MAX_DESCRIPTION_CHARS);
  page.language = textOf(feed.language);
  add(feed.home_page_url, 'feed', '');
  add(feed.next_url, 'pagination', '');
  for (const item of listOf(feed.items)) {
    if (links.truncated) break;
    const href = trimUrl(textOf(item.url ?? item.external_url));
    const modified = textOf(item.date_modified) || textOf(item.date_published);
    if (href !== '') links.addEntry(href, 'feed', foldText(textOf(item.title), MAX_LINK_TEXT_CHARS), '', modified);
    for (const attachment of listOf(item.attachments)) add(attachment.url, 'media', '');
  }
  links.placeByOrder();
  page.links = links.links;
  page.linksTruncated = links.truncated;
  return true;
}

function parseObject(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
