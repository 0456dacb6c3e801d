/**
 * Changes one detail of a page, many times, and compares both versions. In: the number of pages and of mutations. Out:
 * how often each kind of mutation was made, and how often the codes alone miss it. Throws an assertion error if a
 * mutation is missed or has the wrong level, or if a page differs from itself.
 */
import assert from 'node:assert/strict';
import { codesOf, compareCodes } from '../../src/change/codes/page-codes.ts';
import { compareVersions } from '../../src/change/compare-versions.ts';
import { decide } from '../../src/change/decide.ts';
import { decideChange, hashesOf } from '../../src/change/version-hashes.ts';
import type { ChangeLevel } from '../../src/core/page/change-class.ts';
import { outlinePage } from '../../src/page/outline/outline.ts';
import { randomNumbers } from '../page/random-html.ts';
import { levelOfMutation, MUTATIONS, mutablePage } from './page-mutations.ts';

const TYPE = 'text/html; charset=utf-8';
/** One of this many mutations also goes through the whole comparison and the codes. */
const SAMPLE = 50;

export interface MutationCounts {
  readonly done: number;
  readonly byKind: ReadonlyMap<string, number>;
  readonly byLevel: Readonly<Record<ChangeLevel, number>>;
  readonly missedByCodes: ReadonlyMap<string, number>;
}

export function versionOf(html: string, images?: ReadonlyMap<string, string>) {
  const bytes = Buffer.from(html);
  return { bytes, outline: outlinePage(bytes, TYPE), ...(images === undefined ? {} : { images }) };
}

export function mutatePages(pages: number, mutationsPerPage: number): MutationCounts {
  const random = randomNumbers(14);
  const kinds = Object.entries(MUTATIONS);
  const byKind = new Map<string, number>(kinds.map(([kind]) => [kind, 0]));
  const byLevel: Record<ChangeLevel, number> = { content: 0, layout: 0, hidden: 0 };
  const missedByCodes = new Map<string, number>();
  let done = 0;
  for (let page = 0; page < pages; page++) {
    const base = mutablePage(random);
    const before = versionOf(base.html);
    const beforeHashes = hashesOf(before);
    const beforeCodes = codesOf(before.outline!);
    assert.equal(decideChange(beforeHashes, hashesOf(versionOf(base.html))), 'identical');
    assert.equal(compareVersions(before, versionOf(base.html)).verdict, 'identical');
    for (let round = 0; round < mutationsPerPage; ) {
      const [kind, mutate] = kinds[Math.floor(random() * kinds.length)]!;
      const html = mutate(base, random);
      if (html === null) continue;
      round++;
      done++;
      byKind.set(kind, byKind.get(kind)! + 1);
      const after = versionOf(html);
      assert.equal(decideChange(beforeHashes, hashesOf(after)), 'changed', `${kind}:\n${base.html}\n${html}`);
      const { level } = decide(before, after);
      assert.equal(level, levelOfMutation(kind, base.html, html), `${kind}:\n${base.html}\n${html}`);
      byLevel[level as ChangeLevel]++;
      if (done % SAMPLE !== 0) continue;
      const change = compareVersions(before, after);
      assert.equal(change.verdict, 'changed');
      assert.ok(change.kinds.length > 0 && change.regions.length > 0, `${kind}:\n${base.html}\n${html}`);
      if (compareCodes(beforeCodes, codesOf(after.outline!)).differs === null) {
        missedByCodes.set(kind, (missedByCodes.get(kind) ?? 0) + 1);
      }
    }
  }
  return { done, byKind, byLevel, missedByCodes };
}
