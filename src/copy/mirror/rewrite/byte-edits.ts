/**
 * Replacements in a document that otherwise keeps its bytes. All inserted text is ASCII, so it is right in every
 * encoding that extends ASCII, and the document need not be decoded.
 */
export class ByteEdits {
  readonly #edits: { readonly from: number; readonly to: number; readonly text: string }[] = [];

  /** Replaces the bytes `from`–`to`. Edits may come in any order, but must not overlap. */
  replace(from: number, to: number, text: string): void {
    this.#edits.push({ from, to, text });
  }

  /** Replaces single bytes at these ascending positions, except where the bytes are replaced already. */
  replaceElsewhere(positions: Iterable<number>, textAt: (position: number) => string): void {
    const edits = this.#sorted();
    const known = edits.length;
    let next = 0;
    for (const position of positions) {
      while (next < known && edits[next]!.to <= position) next++;
      if (next >= known || edits[next]!.from > position) this.replace(position, position + 1, textAt(position));
    }
  }

  #sorted() {
    return this.#edits.sort((left, right) => left.from - right.from);
  }

  apply(bytes: Buffer): Buffer {
    if (this.#edits.length === 0) return bytes;
    const pieces: Buffer[] = [];
    let at = 0;
    for (const { from, to, text } of this.#sorted()) {
      pieces.push(bytes.subarray(at, from), Buffer.from(text, 'latin1'));
      at = to;
    }
    pieces.push(bytes.subarray(at));
    return Buffer.concat(pieces);
  }
}

/** Text as the value of an attribute, with its quotes. Other characters than ASCII become character references. */
export function quoteAttribute(value: string): string {
  const escaped = value.replace(/[&"<>]|[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `"${escaped.replaceAll('&#38;', '&amp;')}"`;
}
