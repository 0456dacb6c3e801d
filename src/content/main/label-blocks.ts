/** Lists the blocks of a page with their roles. */
import type { PageTree } from '../page-tree.ts';
import { LineWriter } from './main-text.ts';
import type { PageMeasures } from './measure-page.ts';
import { BLOCK_ROLES, type BlockRole, BOILERPLATE, CONTENT, NAVIGATION } from './roles.ts';

/** A block with a larger share of links that has no role by its name is navigation. */
const LINKED = 0.5;

export interface PageBlock {
  readonly role: BlockRole;
  /** The index of the element that the text belongs to. */
  readonly node: number;
  /** One line of text for each line of the block. */
  readonly text: string;
}

export function labelBlocks(tree: PageTree, page: PageMeasures, roles: Uint8Array, kept: Uint8Array): PageBlock[] {
  const blocks: { role: BlockRole; node: number; text: string }[] = [];
  let role = CONTENT;
  const writer = new LineWriter(tree, page, (line, owner) => {
    const last = blocks.at(-1);
    const name = BLOCK_ROLES[role] as BlockRole;
    if (last !== undefined && last.node === owner && last.role === name) last.text += `\n${line}`;
    else blocks.push({ role: name, node: owner, text: line });
  });
  for (let at = 0; at < tree.nodes.length; at++) {
    const node = tree.nodes[at] as (typeof tree.nodes)[number];
    const isText = node.kind === 'text' && page.skipped[at] === 0;
    if (isText && (page.chars[at] as number) > 0) {
      const own = roleOf(page, roles, kept, at);
      // Text of another role in the same block, such as a share link in a paragraph, is a block of its own.
      if (own !== role) writer.end();
      role = own;
    }
    writer.add(at);
  }
  writer.end();
  return blocks;
}

function roleOf(page: PageMeasures, roles: Uint8Array, kept: Uint8Array, at: number): number {
  if (kept[at] === 1) return CONTENT;
  const role = roles[at] as number;
  if (role !== CONTENT) return role;
  const owner = page.owner[at] as number;
  if (owner < 0) return BOILERPLATE;
  return (page.ownLinkChars[owner] as number) > LINKED * (page.ownChars[owner] as number) ? NAVIGATION : BOILERPLATE;
}
