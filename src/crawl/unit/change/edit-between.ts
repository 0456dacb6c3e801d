/**
 * The fingerprint of an edit (core/page/change-class.ts) from two outlines without noise. In: the outlines. Out: the
 * fingerprint that the regions of both versions give if neither has noise (core/page/page-regions.ts).
 */

import type { OutlineNode, PageOutline } from '../../../core/page/page-outline.ts';
import { decodeRegions, editOf, type PageRegions } from '../../../core/page/page-regions.ts';
import { WordCollector } from '../../../page/page.ts';

/** Elements whose text the scan of a page does not read as words. */
const UNREAD = new Set('script style textarea xmp noembed noframes iframe plaintext svg math'.split(' '));
/** Elements whose links nobody follows. */
const INVISIBLE = new Set(['noscript', 'template']);
const IS_UNREAD = 1;
const IS_INVISIBLE = 2;
const NO_MARKS = new Uint8Array(0);

let words: WordCollector | null = null;

/** Null if a version is too long, or if both have the same words and targets. */
export function editBetweenOutlines(was: PageOutline, is: PageOutline): string | null {
  const [before, after] = [sumsOf(was), sumsOf(is)];
  return before === null || after === null ? null : editOf(before, after);
}

function sumsOf({ nodes, url = '' }: PageOutline): PageRegions | null {
  const texts: string[] = [];
  const targets: string[] = [];
  const bits = new Uint8Array(nodes.length);
  let hasTitle = false;
  nodes.forEach((node, at) => {
    const inherited = node.parent < 0 ? 0 : (bits[node.parent] as number);
    bits[at] = inherited | bitsOf(node);
    if (node.name === 'title') {
      if (hasTitle) bits[at] = IS_UNREAD;
      hasTitle = true;
    }
    if (node.kind === 'text' && node.level > 0 && (inherited & IS_UNREAD) === 0) texts.push(node.text);
    if (node.name === 'a' && (inherited & IS_INVISIBLE) === 0) {
      const { attributes } = node;
      for (let name = 0; name < attributes.length; name += 2) {
        if (attributes[name] !== 'href') continue;
        targets.push(attributes[name + 1] as string);
        break;
      }
    }
  });
  return weigh(`${texts.join('\n')}\n`, targets, url);
}

function bitsOf({ name }: OutlineNode): number {
  return UNREAD.has(name) ? IS_UNREAD : INVISIBLE.has(name) ? IS_INVISIBLE : 0;
}

function weigh(text: string, targets: readonly string[], url: string): PageRegions | null {
  words ??= new WordCollector();
  words.clear();
  words.setUrl(url);
  const parts = [text, ...targets].map((part) => Buffer.from(part));
  words.open(Buffer.concat(parts));
  let from = (parts[0] as Buffer).length;
  words.add(0, from);
  for (const { length } of parts.slice(1)) {
    words.addTarget(from, from + length);
    from += length;
  }
  words.finish();
  return decodeRegions(words.regionsOf(NO_MARKS, false));
}
