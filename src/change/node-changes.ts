/**
 * Describes the differences between two outlines: their kinds, their regions and their words.
 * Within the gaps of align-nodes.ts, nodes of the same name on the same level count as one
 * changed node. The other nodes were added or removed.
 */
import type { OutlineNode, PageOutline } from '../core/page/page-outline.ts';
import { findGaps, type Gap, isAlike, isSame } from './align-nodes.ts';
import { CHANGE_KINDS, type ChangedRegion, type ChangeKind, MAX_REGIONS } from './page-change.ts';
import { isReadable } from './readable-text.ts';
import { pathOf } from './region-path.ts';

/**
 * Limit per version. Computing a path looks at up to 20,000 siblings for each of its steps. Many nodes can have the
 * same path, so the limit of regions alone does not limit the cost: a page of 1 MB took 12 s.
 */
const MAX_PATHS = 200;

export class NodeChanges {
  readonly #before: Side;
  readonly #after: Side;
  readonly #kinds = new Set<ChangeKind>();
  readonly #regions = new Map<string, Set<ChangeKind>>();
  /** The kinds of all regions beyond the limit together. */
  readonly #unnamed = new Set<ChangeKind>();

  constructor(before: PageOutline, after: PageOutline) {
    this.#before = new Side(before);
    this.#after = new Side(after);
    for (const gap of findGaps(this.#before.compared, this.#after.compared)) this.#readGap(gap);
  }

  get kinds(): ChangeKind[] {
    return inOrder(this.#kinds);
  }

  get regions(): ChangedRegion[] {
    return Array.from(this.#regions, ([path, kinds]) => ({ path, kinds: inOrder(kinds) }));
  }

  /** All texts that differ, joined. */
  get textBefore(): string {
    return this.#before.text;
  }

  get textAfter(): string {
    return this.#after.text;
  }

  /** Whether the outlines differ at all. */
  get hasAny(): boolean {
    return this.#kinds.size > 0;
  }

  /** Records that an image has other bytes than before. */
  addImage(url: string): void {
    const { nodes } = this.#after;
    const place = nodes.findIndex((node) => node.kind === 'element' && showsImage(node, url));
    if (place >= 0) this.#note(this.#after, place, new Set(['images'] as const));
    else this.#kinds.add('images');
  }

  #readGap({ beforeStart, beforeEnd, afterStart, afterEnd }: Gap): void {
    const { compared: before } = this.#before;
    const { compared: after } = this.#after;
    const common = Math.min(beforeEnd - beforeStart, afterEnd - afterStart);
    const areAlike = (one: number, other: number) => isAlike(before[one] as OutlineNode, after[other] as OutlineNode);
    let head = 0;
    while (head < common && areAlike(beforeStart + head, afterStart + head)) head++;
    let tail = 0;
    while (head + tail < common && areAlike(beforeEnd - tail - 1, afterEnd - tail - 1)) tail++;
    for (let step = 0; step < head; step++) this.#readPair(beforeStart + step, afterStart + step);
    for (let at = beforeStart + head; at < beforeEnd - tail; at++) this.#readLone(this.#before, at);
    for (let at = afterStart + head; at < afterEnd - tail; at++) this.#readLone(this.#after, at);
    for (let step = tail; step > 0; step--) this.#readPair(beforeEnd - step, afterEnd - step);
  }

  /** Reads a node that changed. */
  #readPair(inBefore: number, inAfter: number): void {
    const before = this.#before.compared[inBefore] as OutlineNode;
    const after = this.#after.compared[inAfter] as OutlineNode;
    if (isSame(before, after)) return;
    const place = this.#after.placeOf(inAfter);
    if (after.kind === 'element') this.#note(this.#after, place, attributeKinds(before, after));
    else {
      const kinds = new Set([this.#before.readText(before), this.#after.readText(after)]);
      this.#note(this.#after, place, kinds);
    }
  }

  /**
   * Reads a node that was added or removed. If its parent element was added or removed too,
   * the node counts for the region of that element.
   */
  #readLone(side: Side, at: number): void {
    const node = side.compared[at] as OutlineNode;
    const place = side.placeOf(at);
    const kinds = node.kind === 'element' ? elementKinds(node) : new Set([side.readText(node)]);
    let region = side.alone.get(node.parent);
    if (region === undefined) region = this.#note(side, place, kinds);
    else this.#addKinds(region, kinds);
    if (node.kind === 'element') side.alone.set(place, region);
  }

  /** Returns the kinds of the region that contains the node. */
  #note(side: Side, place: number, kinds: ReadonlySet<ChangeKind>): Set<ChangeKind> {
    let region = this.#unnamed;
    const path = this.#regions.size < MAX_REGIONS ? side.pathOf(place) : null;
    if (path !== null) {
      region = this.#regions.get(path) ?? new Set();
      this.#regions.set(path, region);
    }
    this.#addKinds(region, kinds);
    return region;
  }

  #addKinds(region: Set<ChangeKind>, kinds: ReadonlySet<ChangeKind>): void {
    for (const kind of kinds) {
      this.#kinds.add(kind);
      region.add(kind);
    }
  }
}

/** One of the two outlines. */
class Side {
  readonly nodes: readonly OutlineNode[];
  /** The nodes without comments. */
  readonly compared: readonly OutlineNode[];
  /** The index of each compared node among all nodes. Null if there are no comments. */
  readonly #places: number[] | null = null;
  /** The elements that only this side has, with the kinds of their regions. */
  readonly alone = new Map<number, Set<ChangeKind>>();
  /** Paths by the index of the element. */
  readonly #paths = new Map<number, string>();
  text = '';

  constructor({ nodes }: PageOutline) {
    this.nodes = nodes;
    this.compared = nodes;
    if (nodes.every(({ kind }) => kind !== 'comment')) return;
    const places: number[] = [];
    this.compared = nodes.filter(({ kind }, at) => {
      if (kind !== 'comment') places.push(at);
      return kind !== 'comment';
    });
    this.#places = places;
  }

  /** The path of a node, or null if too many paths were computed already. */
  pathOf(place: number): string | null {
    const { kind, parent } = this.nodes[place] as OutlineNode;
    const element = kind === 'element' ? place : parent;
    let path = this.#paths.get(element);
    if (path === undefined) {
      if (this.#paths.size >= MAX_PATHS) return null;
      path = pathOf(this.nodes, place);
      this.#paths.set(element, path);
    }
    return path;
  }

  placeOf(at: number): number {
    return this.#places === null ? at : (this.#places[at] as number);
  }

  /** Adds a text that differs and returns the kind of this change. */
  readText(node: OutlineNode): ChangeKind {
    if (!isReadable(node, this.nodes)) return 'other';
    this.text += `${node.text}\n`;
    return 'text';
  }
}

function inOrder(kinds: ReadonlySet<ChangeKind>): ChangeKind[] {
  return CHANGE_KINDS.filter((kind) => kinds.has(kind));
}

/** Classifies a changed attribute of an element: a link target changed, an image changed, or neither. */

/** Attributes with the link target of an element. */
const LINK_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'xlink:href'],
  area: ['href'],
  iframe: ['src'],
  frame: ['src'],
};

/** Attributes with the image of an element. Images that load when the reader scrolls to them use `data-src`. */
const IMAGE_ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  img: ['src', 'srcset', 'data-src', 'data-srcset'],
  source: ['src', 'srcset', 'data-srcset'],
  image: ['href', 'xlink:href'],
  input: ['src'],
  video: ['poster'],
};

/** The kinds of change between two elements of the same name. */
function attributeKinds(before: OutlineNode, after: OutlineNode): Set<ChangeKind> {
  const kinds = new Set<ChangeKind>();
  const was = valuesOf(before);
  const is = valuesOf(after);
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    if (was.get(name) !== is.get(name)) kinds.add(kindOf(after.name, name));
  }
  // Only the order of the attributes changed, or an attribute is written twice.
  if (kinds.size === 0) kinds.add('attributes');
  return kinds;
}

/** The kinds of change if an element is added or removed. */
function elementKinds(node: OutlineNode): Set<ChangeKind> {
  const kinds = new Set<ChangeKind>(['structure']);
  for (let at = 0; at < node.attributes.length; at += 2) {
    const kind = kindOf(node.name, node.attributes[at] as string);
    if (kind !== 'attributes') kinds.add(kind);
  }
  return kinds;
}

function kindOf(element: string, attribute: string): ChangeKind {
  if (isAmong(LINK_ATTRIBUTES, element, attribute)) return 'links';
  return isAmong(IMAGE_ATTRIBUTES, element, attribute) ? 'images' : 'attributes';
}

function isAmong(table: Readonly<Record<string, readonly string[]>>, element: string, attribute: string): boolean {
  return Object.hasOwn(table, element) && (table[element] as readonly string[]).includes(attribute);
}

/** If an attribute is written twice, the first value counts. */
function valuesOf({ attributes }: OutlineNode): Map<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at < attributes.length; at += 2) {
    const name = attributes[at] as string;
    if (!values.has(name)) values.set(name, attributes[at + 1] as string);
  }
  return values;
}

/** Whether an element shows the image with this URL, judged by the end of the written URL. */
function showsImage({ name, attributes }: OutlineNode, url: string): boolean {
  for (let at = 0; at < attributes.length; at += 2) {
    if (!isAmong(IMAGE_ATTRIBUTES, name, attributes[at] as string)) continue;
    const written = (attributes[at + 1] as string).replace(/^(?:\.{0,2}\/)+/, '');
    if (written !== '' && url.endsWith(written)) return true;
  }
  return false;
}
