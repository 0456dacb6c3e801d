import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeDocuments, readDocument } from '../../src/documents/read-document.ts';
import { makePdf } from './make-documents.ts';

after(closeDocuments);

/** Draws a text at a place of the page. The vertical axis points up. */
function put(text: string, x: number, y: number, size = 12): string {
  return `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET`;
}

async function textOf(...drawn: string[]): Promise<string> {
  const answer = await readDocument(makePdf({ content: Buffer.from(drawn.join('\n')) }), '', 'https://site.example/');
  assert.ok(!('reason' in answer), JSON.stringify(answer));
  return answer.text;
}

test('the columns of a PDF page are read one after the other, below a title that spans both', async () => {
  const lines = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
  const rows = lines.flatMap((line, at) => [
    put(`left ${line} side`, 50, 700 - 14 * at),
    put(`right ${line} side`, 300, 700 - 14 * at),
  ]);
  const expected = ['left', 'right'].flatMap((side) => lines.map((line) => `${side} ${line} side`));
  assert.equal(
    await textOf(put('A long title over both of the columns', 110, 740), ...rows),
    ['A long title over both of the columns', ...expected].join('\n'),
  );
});

/** Lines of about the same width. The numbers of the paragraphs make them different. */
function paragraph(name: string, lines: number): string[] {
  return Array.from({ length: lines }, (_, line) => `the ${name} with its line of number ${line + 10} here`);
}

test('the paragraphs of two columns are read one after the other, although a page number stands between them', async () => {
  const column = (parts: string[][], x: number): string[] => {
    let y = 720;
    return parts.flatMap((lines) => {
      const top = y;
      y -= 12 * lines.length + 10;
      return lines.map((line, at) => put(line, x, top - 12 * at, 10));
    });
  };
  const left = [paragraph('first', 6), paragraph('second', 10)];
  const right = [paragraph('third', 9), paragraph('fourth', 4), paragraph('fifth', 3)];
  // The space between the columns is as wide as a letter.
  const text = await textOf(...column(left, 60), ...column(right, 255), put('17', 245, 480, 10));
  assert.equal(text, [...left.flat(), ...right.flat(), '17'].join('\n'));
});

test('a table is read row by row, although its columns are as long as columns of prose', async () => {
  const rows = Array.from({ length: 12 }, (_, row) => [
    [`the long name of row ${row + 10}`, `a description of ${'x'.repeat(1 + 5 * (row % 5))} row`],
    700 - 22 * row,
  ]) as [string[], number][];
  const text = await textOf(...rows.flatMap(([[name, text], y]) => [put(name!, 50, y), put(text!, 250, y)]));
  assert.equal(text, rows.flatMap(([cells]) => cells).join('\n'));
});

test('an accent that is drawn before its letter becomes one letter', async () => {
  assert.equal(await textOf(put('f\\310ur', 50, 700)), 'für');
});

test('two tables of a PDF page are read apart, with the sentence between them', async () => {
  const table = (name: string, y: number): string[] =>
    [0, 1, 2].flatMap((row) => [
      put(`${name} ${row}`, 100, y - 30 * row),
      put(`size ${row}`, 210, y - 30 * row),
      put(`comment ${row}`, 280, y - 30 * row),
    ]);
  const rows = (name: string): string[] =>
    [0, 1, 2].flatMap((row) => [`${name} ${row}`, `size ${row}`, `comment ${row}`]);
  const text = await textOf(...table('first', 700), put('A sentence', 70, 600), ...table('second', 570));
  assert.equal(text, [...rows('first'), 'A sentence', ...rows('second')].join('\n'));
});

test('the words of a line are not divided at an exponent, and its variables are words', async () => {
  const text = await textOf(
    put('Let x', 50, 700),
    put('2', 76.2, 704.5, 8),
    put('+ y', 90, 700),
    put('k', 106.4, 698, 8),
    put('z be small', 111, 700),
    put('and positive.', 50, 686),
  );
  assert.equal(text, 'Let x2 + yk z be small\nand positive.');
});

test('a hat that is drawn apart from its letter is joined with it', async () => {
  assert.equal(await textOf(put('the', 50, 700), put('\\303', 72, 703), put('u is', 71, 700)), 'the û is');
});

test('text that runs upwards is read at its place', async () => {
  const upwards = 'BT /F1 12 Tf 0 1 -1 0 60 600 Tm (the height) Tj ET';
  const text = await textOf(
    put('A figure', 50, 700),
    upwards,
    put('its parts', 100, 640),
    put('The end of the page', 50, 500),
  );
  assert.equal(text, 'A figure\nthe height\nits parts\nThe end of the page');
});
