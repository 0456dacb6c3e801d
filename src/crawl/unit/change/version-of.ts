/** Makes a version of a page, as the comparison needs it, from the bytes of a response. */
import type { PageVersion } from '../../../change/page-change.ts';
import type { Template } from '../../../content/template/template.ts';
import type { PageOutline } from '../../../core/page/page-outline.ts';
import { isText } from '../../../page/content-kind.ts';
import { outlinePage } from '../../../page/outline/outline.ts';
import { readableVersion } from '../../../page/readable-version.ts';
import { templateLinesOf } from '../../place/template-lines-of.ts';

/**
 * `isPage`: the content is HTML, which may contain noise. `template`: null if nothing is known about the host. `date`:
 * the Date header of the response, by which a clock on the page is recognised.
 */
export function versionOf(
  bytes: Buffer,
  contentType: string,
  url: string,
  template: Template | null = null,
  date = '',
): PageVersion & { readonly isPage: boolean } {
  const outline = outlinePage(bytes, contentType);
  const sentAtMs = Date.parse(date);
  const sent = { url, ...(Number.isFinite(sentAtMs) ? { sentAtMs } : {}) };
  const readable = () => readableVersion(bytes, contentType, url);
  const page = { url, body: bytes, contentType };
  let test: ReturnType<typeof templateLinesOf> | undefined;
  const testOf = (known: Template) => (test ??= templateLinesOf(known, page));
  const templateTest = template === null || outline === null ? {} : { templateTest: () => testOf(template) };
  return {
    bytes,
    outline: outline === null ? outlineOfText(bytes, contentType) : { ...outline, ...sent },
    readable,
    ...templateTest,
    isPage: outline !== null,
  };
}

/** A text that is not HTML becomes one text node, in which there is no noise. */
function outlineOfText(body: Buffer, contentType: string): PageOutline | null {
  const [mediaType = ''] = contentType.split(';', 1);
  if (!isText(mediaType.trim().toLowerCase(), body)) return null;
  const text = body.toString('utf8');
  return { nodes: [{ kind: 'text', level: 1, parent: -1, name: '', attributes: [], text }], isCut: false };
}
