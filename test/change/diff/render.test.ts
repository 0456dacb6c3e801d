import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'parse5';
import { asHtml } from '../../../src/change/diff/as-html.ts';
import { asPlain, asTerminal } from '../../../src/change/diff/as-terminal.ts';
import { asUnified } from '../../../src/change/diff/as-unified.ts';
import { diffTexts } from '../../../src/change/diff/diff.ts';
import { hunksOf } from '../../../src/change/diff/hunks.ts';
import { SeededRandom } from '../../../testbed/random.ts';
import { randomEdit, randomText } from './edited-texts.ts';

const OLD = 'Orb-weavers\nThe web has thirty radii.\nIt is made at night.\nGone\nEnd\n';
const YOUNG = 'Orb-weavers\nThe web has forty radii.\nIt is made at night.\nEnd\n\nNew & <b>bold</b>\n';
const NAMES = { name: 'http://site.test/', oldMs: Date.UTC(2024, 4, 1), newMs: Date.UTC(2025, 10, 15, 9, 46, 40, 123) };

function hunks(old: string, young: string, context = 1) {
  return hunksOf(diffTexts(old, young), context);
}

test('plain: marks enclose changed text, a position is above it, and no mark spans a line break', () => {
  assert.equal(
    asPlain(hunks(OLD, YOUNG)),
    '@@ line 1 @@\nOrb-weavers\nThe web has [-thirty-]{+forty+} radii.\nIt is made at night.\n[-Gone-]\nEnd\n' +
      '{+¶+}\n{+New & <b>bold</b>+}\n',
  );
  assert.equal(asPlain(hunks('orb\nweb\n', 'orb web')), '@@ line 1 @@\norb[-¶-]\n{+ +}web[-¶-]\n');
  assert.equal(asPlain([]), '');
});

test('in colour: strike and underline besides red and green, and no style left open at the end of a line', () => {
  const text = asTerminal(hunks('one two\nthree\n', 'one 2\n4\n5\n'));
  assert.ok(text.includes('one \x1b[31;9mtwo\x1b[0m\n\x1b[31;9mthree\x1b[0m'), JSON.stringify(text));
  assert.ok(text.includes('\x1b[32;4m2\x1b[0m\n\x1b[32;4m4\x1b[0m'), JSON.stringify(text));
  for (const line of text.split('\n')) {
    const styles = line.match(/\x1b\[[\d;]*m/g) ?? [];
    assert.ok(styles.every((style, i) => (style === '\x1b[0m') === (i % 2 === 1)) && styles.length % 2 === 0, line);
  }
});

test('unchanged parts of very long lines are shortened, and changed parts are not', () => {
  const long = (word: string) => `${'x'.repeat(500_000)} ${word} ${'🕷'.repeat(250_000)}\n`;
  const plain = asPlain(hunks(long('a'.repeat(1_000)), long('b')));
  assert.ok(plain.includes(` […] ${'x'.repeat(139)} [-${'a'.repeat(1_000)}-]{+b+} `), plain);
  assert.ok(plain.length < 2_000 && plain.isWellFormed());
  assert.ok(asUnified(hunks(long('a'), long('b')), NAMES).length > 2_000_000, 'the unified form is exact');
});

test('unified: as diff -u writes it', () => {
  assert.equal(
    asUnified(hunks(OLD, YOUNG), NAMES),
    '--- http://site.test/\t2024-05-01 00:00:00.000000000 +0000\n' +
      '+++ http://site.test/\t2025-11-15 09:46:40.123000000 +0000\n' +
      '@@ -1,5 +1,6 @@\n Orb-weavers\n-The web has thirty radii.\n+The web has forty radii.\n It is made at night.\n' +
      '-Gone\n End\n+\n+New & <b>bold</b>\n',
  );
  assert.match(asUnified(hunks('a', 'b'), NAMES), /@@ -1 \+1 @@\n-a\n\\ No newline at end of file\n\+b\n\\ No newline/);
  assert.match(asUnified(hunks('', 'b\n'), NAMES), /\n@@ -0,0 \+1 @@\n\+b\n$/);
  assert.equal(asUnified(hunks('a', 'a'), NAMES), '');
});

const hasPatch = spawnSync('patch', ['--version']).status === 0;

test('unified: patch turns the old text into the new one', {
  skip: hasPatch ? false : 'patch is not installed',
}, (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'orbweaver-patch-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'page');
  for (let seed = 1; seed <= 60; seed++) {
    const random = new SeededRandom(seed);
    const old = randomText(random, 5 + random.below(120)).toWellFormed();
    const young = randomEdit(random, old).toWellFormed();
    const patch = asUnified(hunks(old, young, seed % 4), NAMES);
    if (old === young || young === '') continue;
    writeFileSync(file, old);
    const { status, stdout, stderr } = spawnSync('patch', ['--binary', '--fuzz=0', '--silent', file], { input: patch });
    assert.equal(status, 0, `seed ${seed}: ${stdout}${stderr}\n${patch}`);
    assert.equal(readFileSync(file, 'utf8'), young, `seed ${seed}`);
  }
});

/** Elements and texts of a page as a browser would build them. */
function elementsOf(html: string): { names: string[]; text: string } {
  const names: string[] = [];
  let text = '';
  const walk = (node: { nodeName: string; value?: string; childNodes?: unknown[] }) => {
    if (node.nodeName === '#text') text += node.value;
    else names.push(node.nodeName);
    for (const child of node.childNodes ?? []) walk(child as typeof node);
  };
  walk(parse(html) as unknown as Parameters<typeof walk>[0]);
  return { names, text };
}

test('HTML: the output is a complete page in which the compared texts are never markup', () => {
  const evil =
    '</pre></del><script>alert(1)</script><img src=x onerror=alert(1)>\n<!--\n]]>&lt;"\'\0\x1b[2J\u009b\ud800\n';
  const html = asHtml(hunks('old\n', `\n${evil}`), {
    title: '</title><script>',
    lines: ['<style>@import url(x)</style>'],
  });
  const { names, text } = elementsOf(html);
  const allowed = ['#document', '#documentType', 'html', 'head', 'meta', 'title', 'style', 'body', 'h1', 'p', 'h2'];
  const known = new Set([...allowed, 'section', 'pre', 'span', 'del', 'ins']);
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  );
  assert.equal(names.filter((name) => name === 'style').length, 1);
  assert.ok(
    text.includes('<script>alert(1)</script><img src=x onerror=alert(1)>\n<!--\n]]>&lt;"\'\ufffd\ufffd[2J\ufffd\ufffd'),
  );
  assert.ok(!/[\0-\x08\x0b-\x1f\x7f-\x9f]/.test(html), 'no control characters');
  assert.ok(html.isWellFormed());
});

test('HTML: the policy allows its own style and nothing else', () => {
  const html = asHtml(hunks(OLD, YOUNG), { title: 'x', lines: [] });
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)![1]!;
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!;
  const digest = hash('sha256', style, 'base64');
  assert.equal(policy, `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`);
  assert.ok(html.includes('<span>Orb-weavers\nThe web has </span><del>thirty</del><ins>forty</ins><span> radii.'));
  assert.match(style, /prefers-color-scheme: dark/);
  assert.ok(!/url\(|@import|https?:/.test(html.replace('http-equiv', '')), 'nothing is loaded from elsewhere');
});
