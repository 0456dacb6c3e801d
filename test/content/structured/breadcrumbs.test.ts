import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataOf, scriptOf } from './read-page.ts';

const CRUMBS = [
  { name: 'Home', url: 'https://example.com/' },
  { name: 'Cats', url: 'https://example.com/cats' },
  { name: 'Tom' },
];

test('breadcrumbs of JSON-LD are sorted by their position', () => {
  const json = `{"@type":"BreadcrumbList","itemListElement":[{"position":2,"item":{"@id":"/cats","name":"Cats"}},
    {"position":1,"name":"Home","item":"/"},{"position":3,"name":"Tom"}]}`;
  assert.deepEqual(dataOf(scriptOf(json)).breadcrumbs, [{ syntax: 'json-ld', crumbs: CRUMBS }]);
});

test('breadcrumbs of microdata', () => {
  const crumb = (name: string, href: string, at: number): string =>
    `<li itemprop=itemListElement itemscope itemtype="http://schema.org/ListItem"><a itemprop=item href="${href}">
     <span itemprop=name>${name}</span></a><meta itemprop=position content=${at}></li>`;
  const html = `<ol itemscope itemtype="http://schema.org/BreadcrumbList">${crumb('Home', '/', 1)}${crumb('Cats', '/cats', 2)}</ol>`;
  assert.deepEqual(dataOf(html).breadcrumbs[0]?.crumbs, CRUMBS.slice(0, 2));
});

test('visible navigation that calls itself breadcrumbs', () => {
  const html = `<nav aria-label="Breadcrumb"><ol class=breadcrumb><li><a href="/">Home</a> › <li><a href="/cats">Cats</a> ›
    <li aria-current=page>Tom</ol></nav>`;
  assert.deepEqual(dataOf(html).breadcrumbs, [{ syntax: 'visible', crumbs: CRUMBS }]);
});

test('a trail that is declared and visible is returned once', () => {
  const html = '<div class=breadcrumbs><a href="/">Home</a> / <a href="/cats">Cats</a> / Tom</div>';
  const json = `{"@type":"BreadcrumbList","itemListElement":[{"name":"Home"},{"name":"Cats"},{"name":"Tom"}]}`;
  assert.equal(dataOf(scriptOf(json) + html).breadcrumbs.length, 1);
});

test('an address is no name of a crumb', () => {
  const html = `<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop="itemListElement" itemscope
    itemtype="https://schema.org/ListItem"><a itemprop="item" itemscope itemtype="https://schema.org/Thing" href="/a"></a>
    <li itemprop="itemListElement" itemscope itemtype="https://schema.org/ListItem"><b itemprop="name">B</b></ol>`;
  const [trail] = dataOf(html).breadcrumbs;
  assert.deepEqual(trail?.crumbs, [{ name: 'B' }]);
});
