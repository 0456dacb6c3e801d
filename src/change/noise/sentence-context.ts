/**
 * Decides whether a text that looks like noise stands alone, or is part of a sentence or of an entry with a
 * label. "Last outage: <b>3 days ago</b>" and "The king died <b>3 days ago</b> in Paris" are news.
 * "<a>Ann</a> <span>3 days ago</span>" is a byline.
 */
import type { OutlineNode } from '../../core/page/page-outline.ts';
import { COUNT_TEXT, ONLINE_WORDS } from './text-noise.ts';
import { isBlock } from './white-space.ts';

/**
 * A line of a page has fewer nodes. The limit keeps a hostile line from being searched to its end for every text in it.
 */
const MAX_LOOKED_AT = 16;

const PUBLISHING = `(?:posted|published|updated|update|edited|modified|asked|answered|commented|replied|active|added|submitted|created|shared|uploaded|written|by|post|reply|comment|activity|views?)`;
/** Text that may stand before on the same line: nothing, a separator, or a word of publishing. */
const HARMLESS_BEFORE = new RegExp(
  String.raw`^$|[·•|,;(\[–—/-]$|^${PUBLISHING}\b[^.!?]{0,60}$|\b${PUBLISHING}:?$`,
  'iu',
);
const HARMLESS_LABEL = new RegExp(String.raw`\b${PUBLISHING}(?: by| at| on)?:?$`, 'iu');
const HARMLESS_AFTER = /^$|^[^\p{L}\p{N}$€£¥]{1,3}(?:\s|$)|^[·•|,;)\]–—/-]|^(?:by|via)\b/iu;
/** "Last outage", "Latest trade": readers follow these events by their age. */
const EVENT = /\b(?:last|latest|since|previous|most recent|zuletzt|seit|dernier|dernière|último|última)\b/iu;

export function standsAlone(nodes: readonly OutlineNode[], place: number): boolean {
  const block = blockAround(nodes, place);
  const before = directTextBefore(nodes, place, block);
  if (!HARMLESS_BEFORE.test(before.direct) || !HARMLESS_AFTER.test(directTextAfter(nodes, place, block))) return false;
  if (before.nearest.endsWith(':') && !HARMLESS_LABEL.test(before.nearest)) return false;
  return !EVENT.test(before.nearest) || HARMLESS_LABEL.test(before.nearest);
}

const UNIT_AFTER = new RegExp(
  String.raw`^(?:(?:page ?)?views?|page hits|${ONLINE_WORDS} (?:are |is )?(?:currently )?(?:online|viewing this|reading this|browsing this forum)(?: now| right now)?|online now)\.?(?=$|\s*[·•|])`,
  'i',
);
const LABEL_BEFORE = new RegExp(
  String.raw`(?:^|[·•|]\s*)(?:(?:page|post|topic|total)? ?views?|${ONLINE_WORDS} online):$`,
  'i',
);
const LONE_COUNT = new RegExp(`^${COUNT_TEXT}$`, 'i');
/**
 * Whether a bare number is a count of readers, according to the words directly beside its element. The class of the
 * element is not enough, because polls have one too.
 */
export function isLoneCount(nodes: readonly OutlineNode[], place: number): boolean {
  const text = nodes[place]!.text.trim();
  const holder = nodes[place]!.parent;
  if (text.length > 16 || holder < 0 || !LONE_COUNT.test(text)) return false;
  const element = nodes[holder]!;
  if (element.name === 'input' || isBlockWithMore(nodes, place, holder)) return false;
  if (isBlock(element.name)) return false;
  const block = blockAround(nodes, place);
  const { direct: before, nearest } = directTextBefore(nodes, place, block);
  if (LABEL_BEFORE.test(before) || LABEL_BEFORE.test(nearest)) return true;
  return (
    /^$|[·•|]$|\bthere (?:are|is)(?: currently)?$/i.test(before) &&
    UNIT_AFTER.test(directTextAfter(nodes, place, block))
  );
}

/** Whether the element contains more than the number. */
function isBlockWithMore(nodes: readonly OutlineNode[], place: number, holder: number): boolean {
  return place !== holder + 1 || (place + 1 < nodes.length && nodes[place + 1]!.parent >= holder);
}

function blockAround(nodes: readonly OutlineNode[], place: number): number {
  let at = nodes[place]!.parent;
  for (let climbed = 0; at >= 0 && climbed < MAX_LOOKED_AT && !isBlock(nodes[at]!.name); climbed++)
    at = nodes[at]!.parent;
  return at;
}

/**
 * `direct` is the last text in an element that also contains the node.
 * `nearest` is the last text in any element of the line.
 */
function directTextBefore(
  nodes: readonly OutlineNode[],
  place: number,
  block: number,
): { direct: string; nearest: string } {
  let direct = '';
  let nearest = '';
  let around = nodes[place]!.parent;
  for (let at = place - 1; at > block && place - at <= MAX_LOOKED_AT; at--) {
    const node = nodes[at]!;
    if (at === around) around = node.parent;
    if (node.kind === 'element' && isBlock(node.name) && at !== around) break;
    const text = node.kind === 'text' ? node.text.trim() : '';
    if (text === '') continue;
    if (nearest === '') nearest = text.slice(-80);
    if (node.parent === around) {
      direct = text.slice(-80);
      break;
    }
  }
  return { direct, nearest };
}

function directTextAfter(nodes: readonly OutlineNode[], place: number, block: number): string {
  let around = nodes[place]!.parent;
  for (let at = place + 1; at < nodes.length && at - place <= MAX_LOOKED_AT; at++) {
    const node = nodes[at]!;
    if (node.level === 0) continue;
    if (node.parent < block || (node.kind === 'element' && isBlock(node.name))) return '';
    while (around > block && node.parent < around) around = nodes[around]!.parent;
    if (node.kind === 'text' && node.parent === around && node.text.trim() !== '') return node.text.trim().slice(0, 80);
  }
  return '';
}
