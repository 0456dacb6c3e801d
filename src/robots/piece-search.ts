/**
 * Where a piece of a pattern stands in a path. Short pieces are left to `indexOf`. For long ones that can take the product
 * of both lengths (480 rules of 1,000 octets made to that end: 108 ms a path), so these are searched with a table of
 * their own repetitions (Knuth, Morris and Pratt), which looks at each octet of the path at most twice.
 */
export interface PieceSearch {
  readonly piece: string;
  /** For each octet, how long the longest beginning of the piece is that ends there; null for short pieces. */
  readonly borders: Int32Array | null;
}

const MAX_SHORT_OCTETS = 64;

export function compilePieceSearch(piece: string): PieceSearch {
  if (piece.length <= MAX_SHORT_OCTETS) return { piece, borders: null };
  const borders = new Int32Array(piece.length);
  let matched = 0;
  for (let at = 1; at < piece.length; at++) {
    const code = piece.charCodeAt(at);
    while (matched > 0 && piece.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (piece.charCodeAt(matched) === code) matched++;
    borders[at] = matched;
  }
  return { piece, borders };
}

/** Index of the first place from `from` on, or -1. */
export function findPiece({ piece, borders }: PieceSearch, path: string, from: number): number {
  if (borders === null) return path.indexOf(piece, from);
  if (path.length - from < piece.length) return -1;
  let matched = 0;
  for (let at = from; at < path.length; at++) {
    const code = path.charCodeAt(at);
    while (matched > 0 && piece.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (piece.charCodeAt(matched) === code) matched++;
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
}
