import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mainOf, sentences, wrap } from './sample-pages.ts';

const BESIDE = `<div class="x3"><p>${sentences('beside')}</p></div>`;

test('a thread with two posts is read if the name of the page is that of a thread', () => {
  const posts = ['oak', 'elm'].map(
    (each) =>
      `<div class="message"><div class="who">Ann, since 2019</div><div class="said">${sentences(each)}</div></div>`,
  );
  const page = `<html class="template-thread_view"><body><h1>Trees</h1><div>${posts.join('')}</div>${BESIDE}</body></html>`;
  const { kind, text } = mainOf(page);
  assert.equal(kind, 'forum');
  assert.equal(text, `Trees\n${sentences('oak')}\n${sentences('elm')}`);
});

test('posts are known by numbers in their ids, and their texts may have ids instead of names', () => {
  const posts = ['oak', 'elm', 'fir'].map(
    (each, n) =>
      `<div id="pid10${n}" class="b"><div class="h">By Ann on 10.11.2015</div><div id="said_${n}">${sentences(each)}</div></div>`,
  );
  const page = `<html><body class="topic_show"><div class="top">Board index</div>${posts.join('')}${BESIDE}</body></html>`;
  const { kind, text } = mainOf(page);
  assert.equal(kind, 'forum');
  assert.equal(text, ['oak', 'elm', 'fir'].map(sentences).join('\n'));
});

test('notes about authors tell a thread in tables without telling names', () => {
  const posts = ['oak', 'elm', 'fir'].map(
    (each) =>
      `<tr><td><b>Joined:</b> 4 May 2014<br><b>Posts:</b> 17</td><td><table><tr><td><div class="postbody">${sentences(each)}</div></td></tr></table></td></tr>`,
  );
  const { kind, text } = mainOf(wrap(`<h1>Trees</h1><table>${posts.join('')}</table>`));
  assert.equal(kind, 'forum');
  assert.equal(text, `Trees\n${['oak', 'elm', 'fir'].map(sentences).join('\n')}`);
});

test('the texts that microdata marks are those of a thread, with a first post that stands apart without a mark', () => {
  const post = (each: string, mark: string): string =>
    `<div class="entry" ${mark && 'itemscope itemtype="https://schema.org/Answer"'}><i>Ann 12,345 points</i><div class="said"><div ${mark}>${sentences(each)}</div></div></div>`;
  const answers = ['elm', 'fir'].map((each) => post(each, 'itemprop="text"')).join('');
  const { kind, text } = mainOf(
    wrap(`<div itemscope itemtype="https://schema.org/QAPage"><h1>Trees</h1><div>${post('oak', '')}</div><div>${answers}</div>
      <form><p>${sentences('rule')}</p><textarea></textarea></form></div>`),
  );
  assert.equal(kind, 'forum');
  assert.equal(text, `Trees\n${['oak', 'elm', 'fir'].map(sentences).join('\n')}`);
});

test('a post keeps what it quotes, also in an element for what is beside a text', () => {
  const posts = ['oak', 'elm', 'fir'].map(
    (each) =>
      `<div class="post"><div class="said"><aside class="quote"><blockquote>${sentences(`quoted ${each}`)}</blockquote></aside><p>${sentences(each)}</p><aside><p>A preview</p></aside></div></div>`,
  );
  const { text } = mainOf(wrap(`<div class="thread topic"><h1>Trees</h1>${posts.join('')}</div>`));
  assert.ok(text.includes(sentences('quoted elm')) && !text.includes('A preview'), text);
});
