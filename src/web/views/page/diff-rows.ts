/** Lines of a comparison. In: the pieces of a hunk. Out: the lines of both versions, side by side or in one column. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

export interface DiffLine {
  /** The number in its own version; lines of both versions have that of the later one. */
  readonly number: number;
  readonly parts: readonly Piece[];
}

export interface DiffRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

export interface HunkPieces {
  readonly oldLine: number;
  readonly newLine: number;
  readonly pieces: readonly Piece[];
}

/** A group of lines that ends where both versions begin a new line with the same text. */
interface Group {
  left: Piece[][];
  right: Piece[][];
}

export function rowsOf({ oldLine, newLine, pieces }: HunkPieces): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [leftNumber, rightNumber] = [oldLine, newLine];
  for (const { left, right } of groupsOf(pieces)) {
    for (let at = 0; at < Math.max(left.length, right.length); at++) {
      const [leftParts, rightParts] = [left[at], right[at]];
      rows.push({
        left: leftParts === undefined ? null : { number: leftNumber++, parts: leftParts },
        right: rightParts === undefined ? null : { number: rightNumber++, parts: rightParts },
      });
    }
  }
  return rows;
}

export function inlineLines({ newLine, pieces }: HunkPieces): readonly DiffLine[] {
  const lines: Piece[][] = [[]];
  for (const { kind, text } of pieces) {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push({ kind, text: part });
    }
  }
  if (lines.at(-1)!.length === 0) lines.pop();
  let number = newLine - 1;
  return lines.map((parts) => {
    const isRemoved = parts.length > 0 && parts.every(({ kind }) => kind === 'removed');
    if (!isRemoved) number++;
    return { number: Math.max(number, newLine), parts };
  });
}

function groupsOf(pieces: readonly Piece[]): Group[] {
  const groups: Group[] = [{ left: [[]], right: [[]] }];
  const addTo = (lines: Piece[][], { kind, text }: Piece): void => {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (part !== '') lines.at(-1)!.push({ kind, text: part });
    }
  };
  for (const piece of pieces) {
    if (piece.kind === 'removed') addTo(groups.at(-1)!.left, piece);
    else if (piece.kind === 'added') addTo(groups.at(-1)!.right, piece);
    else {
      for (const [at, part] of piece.text.split('\n').entries()) {
        // Both versions begin a line here, so the lines below stay side by side.
        if (at > 0) groups.push({ left: [[]], right: [[]] });
        if (part === '') continue;
        // Lines that only one version has end here.
        if (at === 0 && beginsLine(groups.at(-1)!)) groups.push({ left: [[]], right: [[]] });
        groups.at(-1)!.left.at(-1)!.push({ kind: 'same', text: part });
        groups.at(-1)!.right.at(-1)!.push({ kind: 'same', text: part });
      }
    }
  }
  // Lines without text at the end of a group exist only because a piece ended with a line break.
  for (const group of groups) {
    for (const lines of [group.left, group.right]) if (lines.length > 1 && lines.at(-1)!.length === 0) lines.pop();
    const [left, right] = [group.left.every(isEmpty), group.right.every(isEmpty)];
    if (left && !right) group.left = [];
    if (right && !left) group.right = [];
  }
  const last = groups.at(-1)!;
  if (last.left.every(isEmpty) && last.right.every(isEmpty)) groups.pop();
  return groups;
}

function beginsLine({ left, right }: Group): boolean {
  return left.length + right.length > 2 && isEmpty(left.at(-1)!) && isEmpty(right.at(-1)!);
}

function isEmpty(line: readonly Piece[]): boolean {
  return line.length === 0;
}
