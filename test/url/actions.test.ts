import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTION_WORDS, ACTIONS } from '../../src/url/actions/action-words.ts';
import { isActionLabel, isActionUrl } from '../../src/url/actions/judge-action.ts';

const SITE = 'http://a.test';

test('at least 25 languages have words for every action', () => {
  const rows = Object.entries(ACTION_WORDS);
  assert.ok(rows.length >= 25, `${rows.length} languages`);
  for (const [language, row] of rows) {
    const columns = row.split('|').map((column) => column.split(',').filter((phrase) => phrase.trim() !== ''));
    assert.equal(columns.length, ACTIONS.length, language);
    for (const [i, phrases] of columns.entries()) assert.ok(phrases.length > 0, `${language}: ${ACTIONS[i]}`);
  }
});

test('every phrase of the table is recognised, as a path, as a value and as a label', () => {
  for (const row of Object.values(ACTION_WORDS)) {
    for (const phrase of row.split(/[|,]/).map((text) => text.trim().replace(/^=/, ''))) {
      const written = encodeURIComponent(phrase.replaceAll(/\s+/g, '-'));
      assert.ok(isActionUrl(`${SITE}/${written}/5`), phrase);
      assert.ok(isActionUrl(`${SITE}/index.php?action=${written}`), phrase);
      assert.ok(isActionLabel(phrase), phrase);
      assert.ok(isActionLabel(phrase.toUpperCase().replaceAll('İ', 'I')) || /[ıß]/.test(phrase), phrase);
    }
  }
});

test('URLs that change something are recognised in paths, names and values', () => {
  for (const path of [
    '/logout',
    '/Logout.aspx',
    '/log-out/',
    '/users/sign_out',
    '/logout.html',
    '/account/doLogout.do',
    '/wp-login.php?action=logout&_wpnonce=1',
    '/item/5/delete',
    '/delete/5',
    '/deletePost.php?id=5',
    '/user_delete?id=5',
    '/index.php?title=X&action=delete',
    '/?remove_item=abc',
    '/shop/?add-to-cart=123',
    '/cart/add/5',
    '/index.php?route=account/logout',
    '/index.php?r=site%2Flogout',
    '/newsletter/unsubscribe/token',
    '/subscriptions/cancel',
    '/confirm/abc123',
    '/polls/7/vote?choice=1',
    '/comments/5/approve',
    '/abmelden',
    '/konto-l%C3%B6schen',
    '/d%C3%A9connexion',
    '/%E5%88%A0%E9%99%A4/5',
  ]) {
    assert.ok(isActionUrl(SITE + path), path);
  }
});

test('documents and searches about actions are no actions', () => {
  for (const path of [
    '/',
    '/docs/sql-delete.html',
    '/docs/delete.html',
    '/sql/remove/syntax.html',
    '/logout-times-of-trains',
    '/how-to-delete-an-account',
    '/search?q=delete',
    '/?s=buy',
    '/login?next=/logout',
    '/wiki/index.php?title=Delete',
    '/removal',
    '/voters/list',
    '/undelete-policy-explained-for-all',
    '/orders/5',
    '/order/latest-items',
    '/publish-dates/2024',
    '/blog/reports',
    '/buyers/5',
    '/confirmation-bias',
    '/cancellation',
    '/image-of-logout.png',
  ]) {
    assert.ok(!isActionUrl(SITE + path), path);
  }
});

test('labels: a few words around an action count, sentences do not', () => {
  for (const label of [
    'Log out (alice)',
    'Delete this post',
    'Konto löschen',
    'Jetzt kaufen',
    'カートに入れる »',
    'Vote up',
  ])
    assert.ok(isActionLabel(label), label);
  for (const label of [
    '',
    'News',
    'Why people delete their accounts today',
    'The vote that changed the council',
    'Orders',
  ])
    assert.ok(!isActionLabel(label), label);
});
