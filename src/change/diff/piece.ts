/** The state of a piece of text in a diff. */
const PIECE_KINDS = ['same', 'removed', 'added'] as const;
export type PieceKind = (typeof PIECE_KINDS)[number];

export interface DiffPiece {
  readonly kind: PieceKind;
  readonly text: string;
}

const LEADING_SPACE = /^[^\S\n]*/;

/**
 * Collects pieces. All text that is removed and added between two unchanged pieces becomes one removed and one added
 * piece, in this order. A changed piece begins with a word if possible: "a[- quick-] fox" becomes "a [-quick -]fox".
 */
export class PieceList {
  readonly #pieces: DiffPiece[] = [];
  #same = '';
  #removed = '';
  #added = '';

  remove(text: string): void {
    this.#removed += text;
  }

  add(text: string): void {
    this.#added += text;
  }

  keep(text: string): void {
    if (text === '') return;
    if (this.#removed === '' && this.#added === '') this.#same += text;
    else this.#same = this.#endChange(text);
  }

  take(): DiffPiece[] {
    this.#same = this.#endChange('');
    this.#push('same', this.#same);
    return this.#pieces;
  }

  /** Returns the rest of the unchanged text after the change. */
  #endChange(following: string): string {
    const left = this.#trimSpace(following);
    this.#push('same', this.#same);
    this.#push('removed', this.#removed);
    this.#push('added', this.#added);
    this.#same = this.#removed = this.#added = '';
    return left;
  }

  #trimSpace(following: string): string {
    const [removed, added] = [leadingSpace(this.#removed), leadingSpace(this.#added)];
    if (this.#removed !== '' && this.#added !== '') {
      if (removed !== added) return following;
      this.#same += removed;
      this.#removed = this.#removed.slice(removed.length);
      this.#added = this.#added.slice(added.length);
      return following;
    }
    const space = removed + added;
    if (space === '' || leadingSpace(following) !== space) return following;
    this.#same += space;
    if (this.#removed !== '') this.#removed = this.#removed.slice(space.length) + space;
    else this.#added = this.#added.slice(space.length) + space;
    return following.slice(space.length);
  }

  #push(kind: PieceKind, text: string): void {
    if (text !== '') this.#pieces.push({ kind, text });
  }
}

function leadingSpace(text: string): string {
  return LEADING_SPACE.exec(text)![0];
}

/**
 * Shortens the unchanged parts of very long lines to their ends, for people: a script of a page may be one line of a
 * megabyte in which one word changed. Changed text is never shortened.
 */
const MAX_SAME_CHARS = 320;
const SHOWN_AT_EITHER_END = 140;
const LEFT_OUT = ' […] ';

export function shortenSame(pieces: readonly DiffPiece[]): DiffPiece[] {
  return pieces.map((piece) =>
    piece.kind !== 'same' || piece.text.length <= MAX_SAME_CHARS
      ? piece
      : { kind: 'same', text: piece.text.split('\n').map(shortenLine).join('\n') },
  );
}

function shortenLine(line: string): string {
  if (line.length <= MAX_SAME_CHARS) return line;
  const head = line.slice(0, wholeBefore(line, SHOWN_AT_EITHER_END));
  const tail = line.slice(wholeBefore(line, line.length - SHOWN_AT_EITHER_END));
  // Cuts at a word boundary if there is one nearby.
  return head.replace(/\s\S{0,30}$/, '') + LEFT_OUT + tail.replace(/^\S{0,30}\s/, '');
}

/** Moves the index so that it does not split a surrogate pair. */
function wholeBefore(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
