/** Tests which blocks of a host's pages are template, and which are the own content of a page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Template } from '../../../src/content/template/template.ts';
import { pageOf } from '../words-of.ts';
import { Host } from './learned-host.ts';

const MENU = ['Home page of the example', 'All the departments and their staff', 'How to reach us by train'];
const FOOTER = 'Published by the example society, all rights reserved';

test('a block on every page of a host is template from the second page on, and own content is not', () => {
  const host = new Host();
  for (let n = 1; n <= 60; n++) {
    const own = host.prose(12);
    const { template } = host.learn(`/articles/${n}`, [...MENU, own, FOOTER]);
    assert.deepEqual(template, n === 1 ? [] : [...MENU, FOOTER], `page ${n}`);
  }
});

test('a block on a third of the pages of a large host is template, and a block on a tenth is not', () => {
  const host = new Host();
  for (let n = 1; n <= 200; n++) {
    const often = n % 5 < 2 ? ['A notice that two pages in five have'] : [];
    const seldom = n % 10 === 0 ? ['A notice that one page in ten has'] : [];
    const { template } = host.learn(`/articles/${n}`, [...often, host.prose(12), ...seldom]);
    if (n > 100) assert.deepEqual(template, often, `page ${n}`);
  }
});

test('numbers do not make another block: dates, counters and page numbers', () => {
  const host = new Host();
  const dated = (n: number) => [`Page ${n} of 365`, host.prose(12), `Last change: ${n % 28} May 20${10 + (n % 15)}`];
  host.learn('/a', dated(1));
  for (let n = 2; n < 10; n++) {
    const blocks = dated(n);
    assert.deepEqual(host.learn(`/a${n}`, blocks).template, [blocks[0], blocks[2]]);
  }
});

test('link text on three pages is navigation, however many pages the host has, and other text is not', () => {
  const host = new Host();
  const [link, text] = ['<a href="/offer">Our offer of the week</a>', 'A sentence that three pages have'];
  for (let n = 1; n <= 300; n++) {
    const isOne = n % 100 === 0;
    const { template } = host.learn(`/articles/${n}`, isOne ? [host.prose(12), link, text] : [host.prose(12)]);
    assert.deepEqual(template, n === 300 ? [link] : [], `page ${n}`);
  }
});

test('link text that several pages share is content if no template is around it: an index, a list', () => {
  const host = new Host();
  const entries = Array.from({ length: 20 }, () => `<a href="/x">${host.prose(3)}</a>`);
  const prose = () => Array.from({ length: 5 }, () => host.prose(12));
  const withIndex = () => [...MENU, ...prose(), ...entries, ...prose(), FOOTER];
  for (let n = 1; n <= 300; n++) {
    const { template } = host.learn(`/articles/${n}`, n % 50 === 0 ? withIndex() : [...MENU, host.prose(12), FOOTER]);
    if (n > 1) assert.deepEqual(template, [...MENU, FOOTER], `page ${n}`);
  }
});

test('the titles of the previous and the next page are template, and the own title and text are not', () => {
  const host = new Host();
  const link = () => `<a href="/x">${host.prose(4)}</a>`;
  for (let n = 1; n <= 60; n++) {
    const [before, next] = [link(), link()];
    const own = [host.prose(3), host.prose(12), host.prose(12), host.prose(12), link(), host.prose(12)];
    const { template } = host.learn(`/articles/${n}`, [...MENU, ...own, 'Previous page:', before, 'Next page:', next]);
    if (n > 20) assert.deepEqual(template, [...MENU, 'Previous page:', before, 'Next page:', next], `page ${n}`);
  }
});

test('a line at the edge of a page is template if it begins and ends with the same words on most pages', () => {
  const host = new Host();
  for (let n = 1; n <= 60; n++) {
    const head = `Next: ${host.prose(2)}, up: ${host.prose(3)}, contents`;
    const foot = `Retrieved from ${host.prose(5)} version ${n}`;
    const own = [host.prose(3), `The ${host.prose(12)} more`, host.prose(12)];
    const { template } = host.learn(`/articles/${n}`, [head, ...own, foot]);
    if (n > 20) assert.deepEqual(template, [head, foot], `page ${n}`);
  }
});

test('link text above the footer is template if nearly all pages have it there, and content if some have it', () => {
  for (const part of [1, 0.5]) {
    const host = new Host();
    for (let n = 1; n <= 60; n++) {
      const links = n % 2 === 0 || part === 1 ? [`<a href="/${n + 1}">${host.prose(5)}</a>`] : [];
      const blocks = [host.prose(3), host.prose(12), host.prose(12), ...links, FOOTER];
      const { template } = host.learn(`/chapters/${n}`, blocks);
      if (n > 20) assert.deepEqual(template, part === 1 ? [...links, FOOTER] : [FOOTER], `page ${n}`);
    }
  }
});

test('a signature above a last remark is own content although it begins and ends with the same words', () => {
  const host = new Host();
  for (let n = 1; n <= 60; n++) {
    const blocks = [...MENU, host.prose(3), `public ${host.prose(6)} number`, host.prose(4)];
    assert.deepEqual(host.learn(`/functions/${n}`, blocks).template, n === 1 ? [] : MENU, `page ${n}`);
  }
});

test('the first paragraph is own content although it begins and ends with the same words on all pages', () => {
  const host = new Host();
  for (let n = 1; n <= 60; n++) {
    const own = [host.prose(3), `The ${host.prose(12)} more`, host.prose(12), host.prose(12), host.prose(12)];
    assert.deepEqual(host.learn(`/articles/${n}`, [...MENU, ...own]).template, n === 1 ? [] : MENU, `page ${n}`);
  }
});

test('a page keeps its only block of own content, whatever its first and last words are', () => {
  const host = new Host();
  for (let n = 1; n <= 60; n++) {
    const { template } = host.learn(`/quotes/${n}`, [...MENU, `Quote: ${host.prose(12)} share`, FOOTER]);
    if (n > 1) assert.deepEqual(template, [...MENU, FOOTER], `page ${n}`);
  }
});

test('a sentence on half of the pages of a small folder is content, and on all of them it is template', () => {
  const host = new Host();
  const [often, always] = ['A remark about errors that half of the pages have', 'A notice that all pages here have'];
  for (let n = 1; n <= 200; n++) {
    const isInside = n % 10 === 0;
    const remark = n % 20 === 0 ? [often] : [];
    const inside = [host.prose(12), ...remark, host.prose(12), always, host.prose(12), host.prose(12)];
    const { template } = host.learn(isInside ? `/part/${n}` : `/articles/${n}`, isInside ? inside : [host.prose(12)]);
    if (n > 100) assert.deepEqual(template, isInside ? [always] : [], `page ${n}`);
  }
});

test('a menu that only the pages of a folder have is template there', () => {
  const host = new Host();
  const shopMenu = ['Baskets and their contents for you', 'Delivery in all of the country'];
  for (let n = 1; n <= 400; n++) {
    const isShop = n % 10 === 0;
    const blocks = isShop ? [...shopMenu, host.prose(12)] : [host.prose(12)];
    const { template } = host.learn(isShop ? `/shop/items/${n}` : `/articles/${n}`, blocks);
    if (n > 100) assert.deepEqual(template, isShop ? shopMenu : [], `page ${n}`);
  }
  const elsewhere = host.judge('/articles/next', [shopMenu[0]!, host.prose(12)]);
  assert.deepEqual(elsewhere.template, [], 'the same words on a page outside the folder are its own');
});

test('a menu that only pages of one URL shape have is template on them', () => {
  const host = new Host();
  const form = 'Sort the results by price or by name';
  for (let n = 1; n <= 200; n++) {
    const isSearch = n % 8 === 0;
    const blocks = isSearch ? [form, host.prose(12)] : [host.prose(12)];
    const { template } = host.learn(isSearch ? `/list.php?page=${n}` : `/${host.name()}.html`, blocks);
    if (n > 100) assert.deepEqual(template, isSearch ? [form] : [], `page ${n}`);
  }
});

test('near-identical pages in different folders of a large host keep their text as own content', () => {
  const host = new Host();
  const shared = Array.from({ length: 8 }, () => host.prose(15));
  for (let n = 1; n <= 300; n++) {
    const isOne = n % 30 === 0;
    const url = `/section${host.name()}/part${host.name()}/${n}.html`;
    const { template } = host.learn(url, [...MENU, ...(isOne ? shared : [host.prose(15)]), FOOTER]);
    if (isOne) assert.deepEqual(template, [...MENU, FOOTER], `page ${n}`);
  }
});

test('few words and links between blocks of template are template, and sentences between them are not', () => {
  const host = new Host();
  const menu = Array.from({ length: 12 }, (_, i) => `Department ${'abcdefghijkl'[i]} of the example society`);
  for (let n = 1; n <= 20; n++) host.learn(`/${n}`, [...menu, host.prose(12)]);
  for (let n = 21; n <= 22; n++) host.learn(`/${n}`, ['Brand new', host.prose(12)]);
  const [link, label, sentence] = ['<a href="/new">A very new page that nobody knows</a>', 'Brand new', host.prose(9)];
  const between = (block: string) => [...menu.slice(0, 6), block, ...menu.slice(6)];
  assert.deepEqual(host.learn('/a', between(link)).template, between(link));
  assert.deepEqual(host.learn('/b', between(label)).template, between(label));
  assert.deepEqual(host.learn('/c', between(sentence)).template, menu);
  assert.deepEqual(host.learn('/e', between('Unknown words')).template, menu, 'few words that no other page has');
  const beside = host.learn('/d', [
    ...menu,
    host.prose(12),
    '<a href="/other">Another new page for you</a>',
    host.prose(12),
  ]);
  assert.deepEqual(beside.template, menu, 'beside own content a link is own content');
});

test('a page that is judged is judged like a page that is learned, and teaches nothing', () => {
  const host = new Host();
  for (let n = 1; n <= 30; n++) host.learn(`/articles/${n}`, [...MENU, host.prose(12), FOOTER]);
  const before = host.template.encode();
  const own = host.prose(12);
  for (let n = 0; n < 5; n++) {
    const judged = host.judge('/articles/31', [...MENU, own, FOOTER]);
    assert.deepEqual(judged.template, [...MENU, FOOTER]);
  }
  assert.deepEqual(host.template.encode(), before);
});

test('a redesign replaces the template after as many pages as the rule says, whatever came before', () => {
  const host = new Host();
  const menu = ['The new menu with other departments', 'The new footer with another address'];
  for (let n = 1; n <= 1_000; n++) host.learn(`/articles/${n}`, [...MENU, host.prose(12), FOOTER]);
  const learned: number[] = [];
  for (let n = 1; n <= 4_000; n++) {
    const { template } = host.learn(`/articles/${1_000 + n}`, [...menu, host.prose(12)]);
    if (template.length === 2) learned.push(n);
  }
  // It is template with 3 + 0.3 × pages, of all pages: 433 of 1,433.
  assert.ok(learned[0]! <= 440, `the new menu was template after ${learned[0]} pages`);
  assert.equal(learned.length, 4_001 - learned[0]!, 'and it stayed template');
  assert.deepEqual(
    host.judge('/articles/x', [MENU[1]!, host.prose(12)]).template,
    [],
    'the old menu is no template now',
  );
});

test('newWords counts the words of blocks that the host has not shown before, without numbers', () => {
  const host = new Host();
  const [a, b] = [host.prose(10), host.prose(20)];
  assert.equal(host.learn('/1', [a]).newWords, 10);
  assert.equal(host.learn('/2', [a, b, b]).newWords, 20);
  assert.equal(host.learn('/3', [b, '7 8 9', a]).newWords, 0, 'a page that recombines known blocks');
  assert.equal(host.learn('/4', ['17 new words with 3 numbers 4']).newWords, 4);
  assert.equal(host.learn('/5', [a, b]).newWords, 0);
});

test('another month of a calendar has no new words', () => {
  const host = new Host();
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const month = (year: number, number: number) => [
    'Calendar of the society',
    `${number}/${year}`,
    days.join(' '),
    ...Array.from({ length: 5 }, (_, week) => days.map((_, day) => week * 7 + day + number).join(' ')),
    '<a href="/prev">Month before</a>',
    '<a href="/next">Month after</a>',
  ];
  assert.ok(host.learn('/calendar?m=2025-1', month(2025, 1)).newWords > 0);
  for (let n = 2; n <= 40; n++) {
    assert.equal(host.learn(`/calendar?m=${2025 + Math.floor(n / 12)}-${n}`, month(2025, n)).newWords, 0);
  }
});

test('a page without text, a page of numbers and a page of one word do no harm', () => {
  const template = new Template();
  for (const html of ['', '<p>1<p>2<p>3', 'word', '<p>', '<a href=x>y</a>']) {
    for (let n = 0; n < 10; n++) template.learn(`http://a.test/${n}`, pageOf(html));
  }
  assert.equal(template.learn('http://a.test/', pageOf('<p>1<p>2<p>3')).newWords, 0);
});
