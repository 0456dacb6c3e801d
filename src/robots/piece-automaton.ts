/**
 * The Aho–Corasick automaton over all pieces of the wildcard rules of a file. In: distinct pieces. Out: for every
 * position in a path, the longest piece that ends there. `parents` gives the other pieces that end there.
 *
 * What always holds: reading a path takes time linear in its length, whatever the pieces are. A node takes 13 bytes.
 * Nodes are numbered level by level, so the children of a node are adjacent and sorted by their octet.
 */
export class PieceAutomaton {
  readonly lengths: Int32Array;
  /** For each piece, the longest other piece that is a suffix of it, or -1. */
  readonly parents: Int32Array;
  readonly #octets: Uint8Array;
  readonly #firstChildren: Int32Array;
  readonly #failures: Int32Array;
  /** For each node, the longest piece that ends there, or -1. */
  readonly #pieces: Int32Array;
  readonly #rootChildren = new Int32Array(256);

  /** `pieces` must be distinct, sorted and not empty. The index of a piece is its number from now on. */
  constructor(pieces: readonly string[]) {
    this.lengths = Int32Array.from(pieces, (piece) => piece.length);
    this.parents = new Int32Array(pieces.length);
    const nodes = countNodes(pieces);
    this.#octets = new Uint8Array(nodes);
    this.#firstChildren = new Int32Array(nodes + 1);
    this.#failures = new Int32Array(nodes);
    this.#pieces = new Int32Array(nodes).fill(-1);
    this.#grow(pieces);
    this.#link();
  }

  get byteLength(): number {
    const perPiece = this.lengths.byteLength + this.parents.byteLength;
    return perPiece + this.#octets.byteLength + this.#firstChildren.byteLength + 2 * this.#failures.byteLength;
  }

  /** Writes, for each end position from 1 to the length of the path, the longest piece that ends there, or -1. */
  read(path: string, longest: Int32Array): void {
    let node = 0;
    for (let at = 0; at < path.length; at++) {
      node = this.#step(node, path.charCodeAt(at));
      longest[at + 1] = this.#pieces[node]!;
    }
  }

  /** Builds the trie level by level. A node stands for a run of sorted pieces with the same beginning. */
  #grow(pieces: readonly string[]): void {
    const text = Buffer.from(pieces.join(''), 'latin1');
    const starts = new Int32Array(pieces.length + 1);
    for (const [index, length] of this.lengths.entries()) starts[index + 1] = starts[index]! + length;
    const nodes = this.#octets.length;
    const runStarts = new Int32Array(nodes);
    const runEnds = new Int32Array(nodes);
    runEnds[0] = pieces.length;
    let grown = 1;
    let depth = 0;
    for (let node = 0, levelEnd = 1; node < nodes; node++) {
      if (node === levelEnd) {
        depth++;
        levelEnd = grown;
      }
      let piece = runStarts[node]!;
      const runEnd = runEnds[node]!;
      if (depth > 0 && this.lengths[piece] === depth) this.#pieces[node] = piece++;
      this.#firstChildren[node] = grown;
      while (piece < runEnd) {
        const octet = text[starts[piece]! + depth]!;
        runStarts[grown] = piece++;
        while (piece < runEnd && text[starts[piece]! + depth] === octet) piece++;
        runEnds[grown] = piece;
        this.#octets[grown++] = octet;
      }
    }
    this.#firstChildren[nodes] = nodes;
    for (let child = 1; child < this.#firstChildren[1]!; child++) this.#rootChildren[this.#octets[child]!] = child;
  }

  /** Sets the failure links and, through them, the longest piece at each node. */
  #link(): void {
    for (let node = 0; node < this.#octets.length; node++) {
      for (let child = this.#firstChildren[node]!; child < this.#firstChildren[node + 1]!; child++) {
        const failure = node === 0 ? 0 : this.#step(this.#failures[node]!, this.#octets[child]!);
        this.#failures[child] = failure;
        const own = this.#pieces[child]!;
        if (own === -1) this.#pieces[child] = this.#pieces[failure]!;
        else this.parents[own] = this.#pieces[failure]!;
      }
    }
  }

  #step(from: number, octet: number): number {
    for (let node = from; node !== 0; node = this.#failures[node]!) {
      const child = this.#childOf(node, octet);
      if (child !== 0) return child;
    }
    return this.#rootChildren[octet & 255]!;
  }

  #childOf(node: number, octet: number): number {
    let low = this.#firstChildren[node]!;
    let high = this.#firstChildren[node + 1]!;
    while (high - low > 4) {
      const middle = (low + high) >>> 1;
      if (this.#octets[middle]! <= octet) low = middle;
      else high = middle;
    }
    for (; low < high; low++) if (this.#octets[low] === octet) return low;
    return 0;
  }
}

function countNodes(pieces: readonly string[]): number {
  let nodes = 1;
  let before = '';
  for (const piece of pieces) {
    let shared = 0;
    while (shared < before.length && before.charCodeAt(shared) === piece.charCodeAt(shared)) shared++;
    nodes += piece.length - shared;
    before = piece;
  }
  return nodes;
}
