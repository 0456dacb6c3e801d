/** Which terms words have, and which queries find them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { analyzeQuery, analyzeText, foldTerm } from '../../../src/search/analysis/analyze.ts';
import { TermTable, termsOf, waysOf } from './matching.ts';

test('words are letters and digits in lower case, at consecutive positions', () => {
  assert.equal(termsOf('The QUICK "brown" fox, (2nd) mp3/utf8!'), 'the@0 quick@1 brown@2 fox@3 2nd@4 mp3@5 utf8@6');
  assert.equal(termsOf(' \n.,;!? — … '), '');
  assert.deepEqual(analyzeQuery('… !'), []);
});

test('positions begin where they are told to, and the position after the last word is returned', () => {
  const found: number[] = [];
  assert.equal(
    analyzeText('one e-mail', 40, (_, position) => found.push(position)),
    43,
  );
  assert.deepEqual(found, [40, 41, 41, 42]);
});

test('a hyphenated word is found by its parts, and by the word without hyphens', () => {
  assert.equal(termsOf('Near-Duplicate pages'), 'nearduplicate@0 near@0 duplicate@1 pages@2');
  assert.deepEqual(waysOf('e-mail'), ['email@0', 'e@0 mail@1']);
  for (const text of ['e-mail', 'E\u2010mail', 'email', 'e mail'])
    assert.ok(new TermTable(text).isFoundBy('e-mail'), text);
  assert.ok(new TermTable('ex\u00adam\u00adple').isFoundBy('example'));
  assert.ok(new TermTable('state-of-the-art search').isFoundBy('art search'));
});

test('identifiers are found as a whole and by their parts', () => {
  assert.equal(termsOf('getElementById x'), 'getelementbyid@0 get@0 element@1 by@2 id@3 x@4');
  assert.equal(termsOf('parseHTMLPage2Text'), 'parsehtmlpage2text@0 parse@0 html@1 page2@2 text@3');
  assert.equal(termsOf('PDFs and APIs'), 'pdfs@0 and@1 apis@2');
  assert.equal(termsOf('SCREAMING_CASE'), 'screaming_case@0 screaming@0 case@1');
  assert.equal(termsOf('__init__'), '__init__@0 init@0');
  assert.equal(termsOf('java.util.ArrayList x'), 'java.util.arraylist@0 java@0 util@1 arraylist@2 array@2 list@3 x@4');
  assert.equal(termsOf('std::vector<int>'), 'std::vector@0 std@0 vector@1 int@2');
  const text = new TermTable('call java.util.ArrayList.add or max_old_space now');
  for (const query of [
    'ArrayList',
    'arraylist',
    'array list',
    'util.ArrayList',
    'java.util',
    'old space',
    'MAX_OLD_SPACE',
  ]) {
    assert.ok(text.isFoundBy(query), query);
  }
});

test('symbols that belong to a name make it another word, which also has the plain word', () => {
  assert.equal(termsOf('C++, C# (.NET) C++17'), 'c++@0 c@0 c#@1 c@1 .net@2 net@2 c++@3 c@3 17@4');
  assert.equal(
    termsOf('#include @decorator --no-cache'),
    '#include@0 include@0 @decorator@1 decorator@1 --nocache@2 nocache@2 no@2 cache@3',
  );
  assert.ok(!new TermTable('vitamin c').isFoundBy('C++'));
  assert.ok(!new TermTable('safety net').isFoundBy('.NET'));
  assert.ok(new TermTable('run it with --no-cache today').isFoundBy('--no-cache today'));
  assert.equal(termsOf('the end.\n.. and -5 a -- b'), 'the@0 end@1 and@2 5@3 a@4 b@5');
});

test('names of hosts and files, versions, dates and addresses are found as a whole and by their parts', () => {
  const text = new TermTable(
    'Ask info@example.com for crawl.db 3.13.0 of 2026-11-19 at https://docs.example.com/a/b-c?x=1.',
  );
  for (const query of [
    ...['info@example.com', 'example.com', 'info', 'crawl.db', 'crawl', '3.13.0', '3.13', '2026-11-19', '2026'],
    ...['docs.example.com', 'https://docs.example.com/a/b-c', 'b-c'],
  ]) {
    assert.ok(text.isFoundBy(query), query);
  }
  assert.ok(!text.isFoundBy('3.13.1') && !text.isFoundBy('com.example'));
  assert.ok(
    text.has('info@example.com') && text.has('3.13.0') && text.has('2026-11-19') && text.has('docs.example.com'),
  );
});

test('an acronym with dots is the acronym', () => {
  assert.ok(new TermTable('the U.S.A. and others').isFoundBy('USA'));
  assert.ok(new TermTable('the USA and others').isFoundBy('U.S.A.'));
});

test('the groups of a number are one number', () => {
  assert.equal(termsOf('1,000 12,345,678'), '1000@0 12345678@1');
  assert.equal(termsOf('$1,000.50'), '1000.50@0 1000@0 50@1');
  assert.equal(termsOf('1,2,3 1000,000 1,0000 a,000'), '1@0 2@1 3@2 1000@3 000@4 1@5 0000@6 a@7 000@8');
  assert.ok(new TermTable('1,000 pages').isFoundBy('1000 pages'));
  assert.equal(termsOf('٣٤ ２０２４ x²'), '34@0 2024@1 x2@2');
});

test('the parts around an apostrophe are words; some are also one word', () => {
  assert.equal(termsOf("l'homme d’état dog's"), 'l@0 homme@1 d@2 état@3 dog@4 s@5');
  assert.equal(termsOf("don't O’Neill"), 'dont@0 don@0 t@1 oneill@2 o@2 neill@3');
  assert.equal(termsOf("комп'ютер"), 'компютер@0 комп@0 ютер@1');
  for (const query of ["don't", 'don’t', 'dont']) assert.ok(new TermTable("I don't know").isFoundBy(query), query);
  assert.ok(!new TermTable("he'll do it").isFoundBy('hell'));
  assert.ok(new TermTable("'quoted' words").isFoundBy('quoted words'));
});

test('terms are in normal form and keep their accents', () => {
  assert.equal(
    termsOf('Cafe\u0301 CAFÉ ﬁne Ｆｕｌｌ 𝐇𝐢 Straße İstanbul'),
    'café@0 café@1 fine@2 full@3 hi@4 straße@5 istanbul@6',
  );
});

test('a term can be found by its spellings without accents', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    ...{ café: ['cafe'], naïve: ['naive'], müller: ['muller', 'mueller'], straße: ['strasse'], łódź: ['lodz'] },
    ...{ smørrebrød: ['smorrebrod', 'smoerrebroed'], åse: ['ase', 'aase'], tiếng: ['tieng'], đường: ['duong'] },
    ...{ ışık: ['isik'], ёлка: ['елка'], ελλάδας: ['ελλαδασ'], col·lecció: ['colleccio'], مَدْرَسَة: ['مدرسه'] },
    // Here the mark makes another letter, or is a vowel.
    ...{ cafe: [], йод: [], がく: [], हिन्दी: [], '2024': [], ภาษา: [] },
  };
  for (const [term, spellings] of Object.entries(cases)) assert.deepEqual(foldTerm(term), spellings, term);
});

test('a query has all ways to write its words, with the way of the same text at the end', () => {
  assert.deepEqual(waysOf('e-mail lists'), ['email@0 lists@1', 'e@0 mail@1 lists@2']);
  assert.deepEqual(waysOf('ArrayList'), ['arraylist@0', 'array@0 list@1']);
  assert.deepEqual(waysOf('C++ code'), ['c++@0 code@1']);
  const many = 'a-b c-d e-f g-h i-j';
  assert.equal(waysOf(many).length, 2);
  assert.ok(new TermTable(many).isFoundBy(many) && new TermTable('ab cd ef gh ij').isFoundBy(many));
});
