import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../../src/change/decide.ts';
import { DEFAULT_NOISE_RULES } from '../../../src/change/noise/noise-rules.ts';
import { ignoreNoise } from '../../../src/change/noise/remove-noise.ts';
import { outlinePage } from '../../../src/page/outline/outline.ts';
import { readSide } from './borderline-changes.ts';
import { BUILT_PAGES, type BuiltPage, CONTENT } from './built-pages.ts';

function pageOf({ head, body }: BuiltPage, side: 'before' | 'after', content = CONTENT): string {
  const written = `<!doctype html><html lang="en"><head><title>Lamp</title>${head}</head><body>${body}</body></html>`;
  return readSide(written, side).replace('CONTENT', () => content);
}

function levelOf(before: string, after: string) {
  const [was, is] = [before, after].map((html) => {
    const bytes = Buffer.from(html);
    return { bytes, outline: outlinePage(bytes, 'text/html; charset=utf-8') };
  });
  return decide(was!, is!, (outline) => ignoreNoise(outline, DEFAULT_NOISE_RULES)).level;
}

const CHANGES: readonly (readonly [what: string, from: string, to: string])[] = [
  ['a price', '$25.00', '$26.00'],
  ['a heading', '<h1>Lamp', '<h1>Lamps'],
  ['a link target', '"/lamps"', '"/lights"'],
  ['an image', 'lamp.png', 'lamp-2.png'],
  ['an alternative text', 'A lamp', 'A red lamp'],
  ['structured data', '"price":"25.00"', '"price":"26.00"'],
];

for (const page of BUILT_PAGES) {
  test(`${page.tool}: another build and another response are no change of content`, () => {
    const level = levelOf(pageOf(page, 'before'), pageOf(page, 'after'));
    assert.ok(level === 'layout' || level === 'hidden', String(level));
  });

  test(`${page.tool}: a change of content counts, in the same build and in another one`, () => {
    for (const [what, from, to] of CHANGES) {
      const edited = CONTENT.replace(from, () => to);
      assert.equal(levelOf(pageOf(page, 'before'), pageOf(page, 'before', edited)), 'content', what);
      assert.equal(levelOf(pageOf(page, 'before'), pageOf(page, 'after', edited)), 'content', `${what}, another build`);
    }
  });
}
