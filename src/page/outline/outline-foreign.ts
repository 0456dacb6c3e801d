/**
 * Connects the outline to foreign-content.ts, which finds where svg and math begin and end. That file identifies
 * elements by their numbers in html-names.ts.
 */
import type { ForeignContent } from '../html/foreign-content.ts';
import { TAG_BITS, TAGS } from '../html/html-names.ts';
import type { AttributeReader } from '../html/read-attributes.ts';

const IDS = new Map(TAGS.names.map((name, id) => [name, id]));
const FONT_STYLES = ['color', 'face', 'size'];
const HTML_TYPES = ['text/html', 'application/xhtml+xml'];

/** Elements of svg and math in which HTML begins again. The elements themselves are foreign. */
const INTEGRATION_POINTS = new Set([
  'foreignobject',
  'desc',
  'title',
  'mi',
  'mo',
  'mn',
  'ms',
  'mtext',
  'annotation-xml',
]);

export function isIntegrationPoint(name: string): boolean {
  return INTEGRATION_POINTS.has(name);
}

export function enterForeign(foreign: ForeignContent, name: string, tag: AttributeReader): void {
  const id = IDS.get(name) ?? 0;
  const encoding = name === 'annotation-xml' ? (tag.value('encoding') ?? '').toLowerCase() : '';
  foreign.startTag(id, TAG_BITS[id] as number, {
    selfClosing: tag.selfClosing,
    holdsHtml: HTML_TYPES.includes(encoding),
    styledFont: name === 'font' && FONT_STYLES.some((style) => tag.value(style) !== undefined),
  });
}

export function leaveForeign(foreign: ForeignContent, name: string, isOpen: boolean): void {
  const id = IDS.get(name) ?? 0;
  foreign.endTag(id, TAG_BITS[id] as number, isOpen);
}
