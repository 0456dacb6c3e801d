/** Which letters are neighbours on usual keyboards. */

/** The rows of letters from the top. Each row is shifted to the right by about half a key. */
const LAYOUTS: readonly (readonly string[])[] = [
  ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  ['qwertzuiop', 'asdfghjkl', 'yxcvbnm'],
  ['azertyuiop', 'qsdfghjklm', 'wxcvbn'],
  ['йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю'],
  ['ςερτυθιοπ', 'ασδφγηξκλ', 'ζχψωβνμ'],
];

const NEIGHBOURS = new Set(LAYOUTS.flatMap(neighboursIn));

export function areNeighbours(a: string, b: string): boolean {
  return NEIGHBOURS.has(a + b);
}

function neighboursIn(rows: readonly string[]): string[] {
  const pairs: string[] = [];
  const add = (a: string | undefined, b: string | undefined): void => {
    if (a !== undefined && b !== undefined) pairs.push(a + b, b + a);
  };
  for (const [y, row] of rows.entries()) {
    for (const [x, letter] of [...row].entries()) {
      add(letter, row[x + 1]);
      // A key touches two keys of the row below it.
      add(letter, rows[y + 1]?.[x]);
      add(letter, rows[y + 1]?.[x - 1]);
    }
  }
  return pairs;
}
