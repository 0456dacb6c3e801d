/**
 * Markdown as a form of export: a file for each page with its main content. It begins with the facts of the page (front
 * matter), and links between pages lead from file to file.
 */
import { stringify } from 'yaml';
import type { PageFacts } from '../../content/facts/page-facts.ts';
import { safeText } from '../../core/safe-text.ts';
import type { ContentReader } from '../content-reader.ts';
import type { FileForm, FileLinks, ResponseToRender } from '../files/file-form.ts';
import { relativeUrl } from '../files/file-names.ts';

const MARKDOWN = 'text/markdown';
/** Types whose responses have text. Documents of unknown types are not named by their first bytes here. */
const READ_TYPES: readonly string[] = [
  ...['text/html', 'application/xhtml+xml', 'text/plain', MARKDOWN],
  ...['application/pdf', 'application/rtf', 'text/rtf', 'application/epub+zip'],
  'application/vnd.oasis.opendocument.text',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
];

export function markdownForm(reader: ContentReader): FileForm {
  return {
    name: 'markdown',
    fileType: (mediaType) => (READ_TYPES.includes(mediaType) ? MARKDOWN : null),
    isPage: () => true,
    index: () => null,
    render: async (response, links) => {
      const { url, body, contentType } = response;
      const content = await reader.read({ url, body, contentType });
      if ('reason' in content) return Buffer.from(`${frontMatter(response, { reason: content.reason })}`);
      const text = content.markdown({ linkOf: (target) => linkTo(target, response.path, links) });
      return Buffer.from(
        `${frontMatter(response, content.facts())}\n${text}${text === '' || text.endsWith('\n') ? '' : '\n'}`,
      );
    },
    unreadable: (url) => Buffer.from(`# Not readable\n\nThe archive could not return <${safeText(url)}>.\n`),
  };
}

/** The path from one file to the file of a URL; null if the URL has none. */
function linkTo(url: string, from: string, { normalizer, pathOf, counts }: FileLinks): string | null {
  const at = url.indexOf('#');
  const normal = normalizer.normalize(url);
  const path = normal === null ? null : pathOf(normal);
  if (path === null) {
    counts.absolute++;
    return null;
  }
  counts.rewritten++;
  const fragment = at < 0 ? '' : url.slice(at);
  return path === from && fragment !== '' ? fragment : relativeUrl(from, path) + fragment;
}

function frontMatter({ url, capture }: ResponseToRender, facts: Partial<PageFacts> & { reason?: string }): string {
  const { title, authors = [], ...rest } = facts;
  const stated = { title, url, fetchedAt: new Date(capture.fetchedAtMs).toISOString(), ...rest };
  const values = Object.entries({ ...stated, ...(authors.length === 0 ? {} : { authors }) });
  return `---\n${stringify(Object.fromEntries(values.filter(([, value]) => value !== undefined)), { lineWidth: 0 })}---\n`;
}
