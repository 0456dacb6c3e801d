import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageTree } from '../../src/content/page-tree.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';

function treeOf(html: string): PageTree {
  return new PageTree(outlinePage(Buffer.from(html), 'text/html; charset=utf-8')!);
}

function find(tree: PageTree, name: string): number {
  return tree.nodes.findIndex((node) => node.name === name);
}

test('the children of an element are its own, without those of its children', () => {
  const tree = treeOf('<ul id=menu class><li>one<b>bold</b></li><li>two</li></ul><p>after</p>');
  const list = find(tree, 'ul');
  assert.deepEqual(
    tree.children(list).map((child) => tree.nodes[child]!.name),
    ['li', 'li'],
  );
  assert.equal(tree.nodes[tree.end(list)]!.name, 'p');
  assert.equal(tree.attribute(list, 'id'), 'menu');
  assert.equal(tree.attribute(list, 'class'), '');
  assert.equal(tree.attribute(list, 'href'), null);
});

test("the doctype and stray end tags are nobody's children", () => {
  const tree = treeOf('<!doctype html><div>a</i>b</div>');
  const children = tree.children(find(tree, 'div'));
  assert.deepEqual(
    children.map((child) => tree.nodes[child]!.kind),
    ['text', 'text'],
  );
});

test('a hundred thousand nested elements are read in linear time', () => {
  const tree = treeOf('<div>'.repeat(100_000));
  assert.equal(tree.end(find(tree, 'div')), tree.nodes.length);
});
