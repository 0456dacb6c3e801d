/**
 * Divides a page into regions that can be found again in the next version and on other pages of the host: every
 * element with an id, a class or the name of a landmark, with its content up to the next such element.
 *
 * In: an outline without its noise. Out: the regions in document order, each with a path such as
 * `aside > div#most-read > li.item`, and with what a reader sees of it.
 *
 * What always holds: each node belongs to at most one region, and the time is linear. The path has no numbers of
 * siblings, so all entries of a list have the same path.
 */
import type { OutlineNode, PageOutline } from '../../core/page/page-outline.ts';
import { addSeenAttributes } from '../level/seen-attributes.ts';
import { attributeOf } from '../noise/advertising/advertisement.ts';
import { looksDrawn } from '../noise/looks-random.ts';

export interface PageRegion {
  readonly path: string;
  /** The index of the element in the outline. */
  readonly place: number;
  /** The indexes of its nodes, without the nodes of the regions in it. */
  readonly nodes: readonly number[];
  /** What a reader sees or follows, in the written order. */
  readonly items: readonly string[];
}

export interface PageRegions {
  readonly regions: readonly PageRegion[];
  /** The index of the region of each node, or -1. */
  readonly regionOf: Int32Array;
}

const LANDMARKS: ReadonlySet<string> = new Set('main article nav header footer aside'.split(' '));
/** Nothing in these elements is a region: they say what the page is, or nobody sees them. */
const OUTSIDE: ReadonlySet<string> = new Set('head script style template noscript'.split(' '));
/** The landmark and the last elements with a name make a path. More of them would make it differ between pages. */
const LAST_STEPS = 3;
const MAX_CLASSES = 4;
const MAX_NAME_CHARS = 40;
/** Classes that say in which state an element is at the moment. */
const STATE = /^(?:active|current|selected|open|closed|hidden|visible|shown|first|last|odd|even|lazy\w*|loaded|in)$/i;

/** The page is divided once for leaving regions out and for comparing them. */
const divided = new WeakMap<PageOutline, PageRegions>();

export function regionsOf(outline: PageOutline): PageRegions {
  const known = divided.get(outline) ?? divide(outline);
  divided.set(outline, known);
  return known;
}

function divide({ nodes }: PageOutline): PageRegions {
  const regions: { path: string; place: number; nodes: number[]; items: string[]; steps: readonly string[] }[] = [];
  const regionOf = new Int32Array(nodes.length).fill(-1);
  const isOutside = new Uint8Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at] as OutlineNode;
    const { parent } = node;
    const above = parent < 0 ? -1 : (regionOf[parent] as number);
    if (parent >= 0) isOutside[at] = isOutside[parent] as number;
    if (node.level === 0 || node.kind === 'comment' || isOutside[at] === 1) continue;
    if (node.kind === 'element' && OUTSIDE.has(node.name)) {
      isOutside[at] = 1;
      continue;
    }
    const step = node.kind === 'element' ? stepOf(node) : '';
    if (step !== '') {
      const steps = stepsBelow(regions[above]?.steps ?? [], step, LANDMARKS.has(node.name));
      regionOf[at] = regions.length;
      regions.push({ path: steps.join(' > '), place: at, nodes: [], items: [], steps });
    } else regionOf[at] = above;
    const region = regions[regionOf[at] as number];
    if (region === undefined) continue;
    region.nodes.push(at);
    addItems(node, region.items);
  }
  return { regions, regionOf };
}

function addItems(node: OutlineNode, items: string[]): void {
  if (node.kind === 'text') {
    const text = shownText(node.text);
    if (text !== '') items.push(text);
  } else if (node.attributes.length > 0 || node.name.length === 2)
    addSeenAttributes(node, (name, value) => items.push(`${name}=${shownText(value)}`));
}

/** Most texts have none, because the noise of white space is removed before. */
const ODD_SPACE = /[\t\n\f\r\u00a0]| {2}/;

export function shownText(text: string): string {
  const trimmed = text.trim();
  return ODD_SPACE.test(trimmed) ? trimmed.replace(/\s+/g, ' ') : trimmed;
}

/** The first step is the nearest landmark, if there is one. */
function stepsBelow(above: readonly string[], step: string, isLandmark: boolean): readonly string[] {
  if (isLandmark) return [step];
  const startsAtLandmark = above.length > 0 && LANDMARKS.has(/^\w+/.exec(above[0] as string)?.[0] ?? '');
  const between = startsAtLandmark ? above.slice(1) : above;
  return [...(startsAtLandmark ? above.slice(0, 1) : []), ...between.slice(1 - LAST_STEPS), step];
}

/** '' if the element has no name by which it is found again. */
function stepOf(node: OutlineNode): string {
  if (node.attributes.length === 0) return LANDMARKS.has(node.name) ? node.name : '';
  const id = nameIn(attributeOf(node, 'id'));
  const classes = attributeOf(node, 'class').slice(0, 400).split(/\s+/).map(nameIn);
  const named = [...new Set(classes)].filter((name) => name !== '' && !STATE.test(name)).sort();
  if (id === '' && named.length === 0) return LANDMARKS.has(node.name) ? node.name : '';
  return `${node.name.slice(0, MAX_NAME_CHARS)}${id && `#${id}`}${named
    .slice(0, MAX_CLASSES)
    .map((name) => `.${name}`)
    .join('')}`;
}

/** A name without its numbers, because `post-17` on one page is `post-18` on another; '' if it is drawn at random. */
function nameIn(name: string): string {
  if (name.length > MAX_NAME_CHARS || looksDrawn(name)) return '';
  return name.replace(/[^\p{L}\p{N}_-]+/gu, '').replace(/\d+/g, '0');
}
