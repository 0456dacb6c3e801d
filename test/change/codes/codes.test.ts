import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CODE_NAMES, codesOf, compareCodes, type PageCodes } from '../../../src/change/codes/page-codes.ts';
import { compareLevels, countLevels, structureLetters } from '../../../src/change/codes/structure-codes.ts';
import { countBytes, rootCode, textAverage, textBytes, textRoot } from '../../../src/change/codes/text-codes.ts';
import { outlineOf } from '../outline-of.ts';
import { CHANGED_PARAGRAPH, PARAGRAPH } from './paper-text.ts';

describe('P8 structure code I', () => {
  test('P8 first and last letters of the paper’s page', () => {
    const page = '<html><head><title>t</title></head><body><h1>w</h1><p>a</p><p>b</p><p>c</p></body></html>';
    assert.deepEqual(structureLetters(outlineOf(page)), { first: 'hhtbhppp', last: 'ldey1ppp' });
  });

  test('P8 a tag of one letter gives it twice, end tags and comments none', () => {
    assert.deepEqual(structureLetters(outlineOf('<b>x</b><!-- y --><em>z</em></i>')), { first: 'be', last: 'bm' });
  });
});

describe('P9 structure code II', () => {
  /**
   * A tree with the given number of elements on each level. All elements of a level are
   * children of the first element of the level above.
   */
  function treeOf([count, ...deeper]: readonly number[]): string {
    if (count === undefined) return '';
    return `<div>${treeOf(deeper)}</div>${'<div></div>'.repeat(count - 1)}`;
  }
  const before = [1, 1, 2, 2, 1, 2, 1, 4, 1];
  const after = [1, 1, 2, 2, 1, 2, 2, 5, 3];

  test('P9 the paper’s tree grows from 15 nodes to 19 at levels 7, 8 and 9', () => {
    const counts = [before, after].map((levels) => countLevels(outlineOf(treeOf(levels))));
    assert.deepEqual(counts, [before, after]);
    const changes = compareLevels(counts[0]!, counts[1]!);
    assert.deepEqual(
      changes.map(({ level, difference }) => [level, difference]),
      [
        [7, 1],
        [8, 1],
        [9, 2],
      ],
    );
    assert.equal(before.reduce((sum, count) => sum + count) + 4, 19);
  });

  test('P9 removed nodes, and levels that only one version has', () => {
    assert.deepEqual(compareLevels([1, 2, 3], [1, 1]), [
      { level: 2, before: 2, after: 1, difference: -1 },
      { level: 3, before: 3, after: 0, difference: -3 },
    ]);
    assert.deepEqual(compareLevels([1, 2], [1, 2]), []);
  });
});

describe('P10 text code I', () => {
  test('P10 text code of the paper’s paragraph', () => {
    const { sum, characters, distinct, code } = textAverage(countBytes(textBytes(PARAGRAPH)));
    assert.deepEqual([sum, characters, distinct, code.toFixed(6)], [56652, 619, 43, '1317.488403']);
  });

  test('P10 text code of the paper’s changed paragraph', () => {
    const { sum, characters, distinct, code } = textAverage(countBytes(textBytes(CHANGED_PARAGRAPH)));
    assert.deepEqual([sum, characters, distinct, code.toFixed(6)], [57113, 625, 43, '1328.209351']);
  });

  test('P10 an em dash is the signed byte −105; the end of file is a character', () => {
    assert.deepEqual([...textBytes('—é€')], [-105, -23, -128]);
    assert.deepEqual(textAverage(countBytes(textBytes(''))), { sum: -1, characters: 1, distinct: 0, code: 0 });
    assert.deepEqual(textAverage(countBytes(textBytes('ab'))), { sum: 194, characters: 3, distinct: 2, code: 97 });
  });

  test('P10 characters that windows-1252 does not have count as their UTF-8 bytes', () => {
    assert.deepEqual(Buffer.from(textBytes('日🕷')), Buffer.from('日🕷'));
    assert.notEqual(textAverage(countBytes(textBytes('a日'))).sum, textAverage(countBytes(textBytes('a月'))).sum);
  });
});

describe('P11 text code II', () => {
  test('P11 the formula on the paper’s sums', () => {
    assert.equal(rootCode(2830106, 296).toFixed(6), '5.683418');
    assert.equal(rootCode(2876660, 300).toFixed(6), '5.653573');
  });

  test('P11 the characters of the paper’s paragraph', () => {
    const end = PARAGRAPH.slice(PARAGRAPH.indexOf('Nearly'));
    assert.equal(textRoot(countBytes(textBytes(end))).characters, 296);
    assert.deepEqual(textRoot(countBytes(textBytes('ab'))).squares, 97 * 97 + 98 * 98 + 1);
  });

  test('P11 one additional blank changes the code', () =>
    assert.notEqual(textRoot(countBytes(textBytes('a b'))).code, textRoot(countBytes(textBytes('a  b'))).code));
});

describe('P13 the codes are compared in order', () => {
  const same = () => codesOf(outlineOf('<p>dog bites man</p>'), new Map([['a', 1n]]));
  const CHANGES: readonly Partial<PageCodes>[] = [
    { letters: { first: 'd', last: 'v' } },
    { levels: [1, 1] },
    { average: textAverage(countBytes(textBytes('x'))) },
    { root: textRoot(countBytes(textBytes('x'))) },
    { images: new Map([['a', 2n]]) },
  ];

  for (const [at, name] of CODE_NAMES.entries()) {
    test(`P13 ${name} is looked at only when those before it say "same"`, () => {
      // This code and all later codes differ. Only this code may be named, and no later code may be read.
      const after = Object.assign({ ...same() }, ...CHANGES.slice(at)) as PageCodes;
      const read: string[] = [];
      const watched = new Proxy(after, {
        get: (codes, key) => {
          read.push(String(key));
          return Reflect.get(codes, key);
        },
      });
      const { differs, compared } = compareCodes(same(), watched);
      assert.equal(differs, name);
      assert.deepEqual(compared, CODE_NAMES.slice(0, at + 1));
      assert.deepEqual([...new Set(read)], ['letters', 'levels', 'average', 'root', 'images'].slice(0, at + 1));
    });
  }

  test('P13 without a difference, all codes are compared', () => {
    assert.deepEqual(compareCodes(same(), same()), { differs: null, compared: [...CODE_NAMES] });
  });

  test('P13 scripts do not count as text', () => {
    const codes = (script: string) => codesOf(outlineOf(`<p>x<script>${script}</script>`));
    assert.equal(compareCodes(codes('1'), codes('2')).differs, null);
  });
});
