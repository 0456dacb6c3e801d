/**
 * How an archived response is shown, by its media type. The list is closed: a browser shows nothing else, and guesses
 * no type (`X-Content-Type-Options`). Text of other kinds, such as scripts, feeds and JSON, is shown as plain text.
 */
import { usualType } from '../../copy/files/media-types.ts';

export type ShownAs = 'page' | 'style' | 'picture' | 'font' | 'media' | 'text' | 'download';

const PAGES = ['text/html', 'application/xhtml+xml', 'image/svg+xml'];
const PICTURES = 'png apng jpeg gif webp avif bmp x-icon'.split(' ').map((name) => `image/${name}`);
const FONTS = [...'woff woff2 ttf otf'.split(' ').map((name) => `font/${name}`), 'application/vnd.ms-fontobject'];
const MEDIA = [
  ...'mp4 webm ogg mpeg'.split(' ').map((name) => `video/${name}`),
  ...'mpeg ogg wav mp4 webm aac flac opus'.split(' ').map((name) => `audio/${name}`),
];
const TEXTS = ['application/json', 'application/xml', 'application/yaml'];

/** The type to send, without a charset. */
export function shownAs(mediaType: string): { readonly as: ShownAs; readonly type: string } {
  const type = usualType(mediaType);
  if (PAGES.includes(type)) return { as: 'page', type };
  if (type === 'text/css') return { as: 'style', type };
  if (PICTURES.includes(type)) return { as: 'picture', type };
  if (FONTS.includes(type)) return { as: 'font', type };
  if (MEDIA.includes(type)) return { as: 'media', type };
  const isText = type.startsWith('text/') || TEXTS.includes(type) || /\+(?:xml|json)$/.test(type);
  return isText ? { as: 'text', type: 'text/plain' } : { as: 'download', type: 'application/octet-stream' };
}
