/** The links that a browser would find, by the tree that parse5 builds. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

const URL_ATTRIBUTES: Record<string, readonly string[]> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  link: ['href'],
  img: ['src'],
  image: ['href'],
  iframe: ['src'],
  frame: ['src'],
  script: ['src'],
  embed: ['src'],
  object: ['data'],
  video: ['src', 'poster'],
  audio: ['src'],
  source: ['src'],
  track: ['src'],
  input: ['src'],
};

/** The URLs in a browser's tree, in the order of the tree. */
export function urlsOfTree(html: string, scriptingEnabled = false): string[] {
  const urls: string[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(html, { scriptingEnabled })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('tagName' in node) {
      for (const name of URL_ATTRIBUTES[node.tagName] ?? []) {
        const value = node.attrs.find((attribute) => attribute.name === name)?.value;
        if (value !== undefined) urls.push(strip(value));
      }
    }
    if ('childNodes' in node) waiting.push(...node.childNodes.toReversed());
  }
  return urls.filter((url) => url !== '');
}

/** The URL standard drops these characters, so they do not count as a difference. */
export function strip(url: string): string {
  return url.replace(/[\t\n\r]/g, '').replace(/^[\0-\x20]+|[\0-\x20]+$/g, '');
}
