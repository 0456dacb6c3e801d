import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRobotsDirectives } from '../../src/robots/page-directives.ts';

const NOW_MS = Date.UTC(2024, 5, 1);

function read(xRobotsTag: string[], metaRobots: [name: string, content: string][] = []): string {
  const metas = metaRobots.map(([name, content]) => ({ name, content }));
  const found = parseRobotsDirectives({ xRobotsTag, metaRobots: metas }, 'Orbweaver', NOW_MS);
  return [found.noindex ? 'noindex' : '', found.nofollow ? 'nofollow' : ''].filter(Boolean).join(' ') || 'nothing';
}

test('W15 X-Robots-Tag for everyone, for us and for others', () => {
  assert.equal(read([]), 'nothing');
  assert.equal(read(['noindex']), 'noindex');
  assert.equal(read(['NoIndex , NOFOLLOW']), 'noindex nofollow');
  assert.equal(read(['none']), 'noindex nofollow');
  assert.equal(read(['all', 'index, follow', 'noarchive, max-snippet: 20']), 'nothing');
  assert.equal(read(['orbweaver: nofollow']), 'nofollow');
  assert.equal(read(['*: nofollow']), 'nofollow');
  assert.equal(read(['otherbot: noindex, nofollow']), 'nothing');
  assert.equal(read(['otherbot: noindex', 'nofollow']), 'nofollow');
  assert.equal(read(['otherbot: noindex, Orbweaver: nofollow']), 'nofollow');
  assert.equal(read(['max-image-preview: none']), 'nothing');
});

test('W15 robots meta elements for everyone, for us and for others', () => {
  assert.equal(read([], [['robots', 'noindex']]), 'noindex');
  assert.equal(read([], [['ROBOTS', 'index,nofollow']]), 'nofollow');
  assert.equal(read([], [['orbweaver', 'none']]), 'noindex nofollow');
  assert.equal(read([], [['otherbot', 'none']]), 'nothing');
  assert.equal(read([], [['robots', 'noindex nofollow']]), 'noindex nofollow');
  assert.equal(read([], [['description', 'noindex']]), 'nothing');
});

test('W15 the more restrictive wins', () => {
  assert.equal(
    read(
      ['index'],
      [
        ['robots', 'noindex'],
        ['orbweaver', 'index, follow'],
      ],
    ),
    'noindex',
  );
  assert.equal(read(['nofollow'], [['robots', 'noindex']]), 'noindex nofollow');
  assert.equal(read([], [['robots', 'noindex, index']]), 'noindex');
});

test('unavailable_after counts once its date is past, in every common spelling', () => {
  const past = ['25 Jun 2010 15:00:00 PST', '25-Jun-2010 15:00:00 EST', 'Fri, 25 Jun 2010 15:00:00 GMT', '2010-06-25'];
  for (const date of [...past, '2010-06-25T15:00:00+00:00', '2024-05-31T23:59:59', '31 May 2024 23:59:59']) {
    assert.equal(read([`unavailable_after: ${date}`]), 'noindex', date);
    assert.equal(read([], [['robots', `unavailable_after: ${date}, nofollow`]]), 'noindex nofollow', date);
  }
  for (const date of [
    '1 Jan 2090 00:00:00 GMT',
    'Sunday, 01-Jan-2090 00:00:00 GMT',
    '2024-06-01T00:00:01',
    'soon',
    '',
  ]) {
    assert.equal(read([`unavailable_after: ${date}`]), 'nothing', date);
  }
  assert.equal(read(['otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST']), 'nothing');
  assert.equal(read(['orbweaver: unavailable_after: 25 Jun 2010 15:00:00 PST']), 'noindex');
});

test('texts of any length and content never throw', () => {
  for (const text of [
    ':'.repeat(100_000),
    ','.repeat(100_000),
    'a: '.repeat(50_000),
    '\ud800\0',
    'unavailable_after:',
  ]) {
    assert.equal(read([text], [['robots', text]]), 'nothing');
  }
});
