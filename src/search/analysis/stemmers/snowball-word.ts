/** The word that a Snowball program works on, with its cursor, its limits and its slice. */

/** One string of an `among`, longest first among those that begin (or end) with the same character. */
export interface Choice {
  readonly text: string;
  /** The string counts only if this succeeds. */
  readonly condition: (() => boolean) | null;
  readonly action: (() => boolean) | null;
}

export class SnowballWord {
  current = '';
  cursor = 0;
  limit = 0;
  limitBackward = 0;
  bra = 0;
  ket = 0;

  set(word: string): void {
    this.current = word;
    this.cursor = 0;
    this.limit = word.length;
    this.limitBackward = 0;
    this.bra = 0;
    this.ket = word.length;
  }

  has(text: string): boolean {
    if (this.limit - this.cursor < text.length || !this.current.startsWith(text, this.cursor)) return false;
    this.cursor += text.length;
    return true;
  }

  hasBefore(text: string): boolean {
    const start = this.cursor - text.length;
    if (start < this.limitBackward || !this.current.startsWith(text, start)) return false;
    this.cursor = start;
    return true;
  }

  /** Moves over one character if it is in the group, or if it is not. */
  step(group: ReadonlySet<number>, isIn: boolean): boolean {
    if (this.cursor >= this.limit || group.has(this.current.charCodeAt(this.cursor)) !== isIn) return false;
    this.cursor++;
    return true;
  }

  stepBack(group: ReadonlySet<number>, isIn: boolean): boolean {
    if (this.cursor <= this.limitBackward || group.has(this.current.charCodeAt(this.cursor - 1)) !== isIn) return false;
    this.cursor--;
    return true;
  }

  /** Finds the longest string at the cursor whose condition holds, and moves behind it. */
  find(choices: ReadonlyMap<number, readonly Choice[]>): Choice | null {
    const from = this.cursor;
    for (const choice of choicesAt(choices, from < this.limit ? this.current.charCodeAt(from) : -1)) {
      this.cursor = from;
      if (!this.has(choice.text)) continue;
      const end = this.cursor;
      if (choice.condition !== null && !choice.condition()) continue;
      this.cursor = end;
      return choice;
    }
    this.cursor = from;
    return null;
  }

  findBefore(choices: ReadonlyMap<number, readonly Choice[]>): Choice | null {
    // A condition may change the word, so the place counts from its end.
    const fromEnd = this.limit - this.cursor;
    const last = this.cursor > this.limitBackward ? this.current.charCodeAt(this.cursor - 1) : -1;
    for (const choice of choicesAt(choices, last)) {
      this.cursor = this.limit - fromEnd;
      if (!this.hasBefore(choice.text)) continue;
      const start = this.cursor;
      if (choice.condition !== null && !choice.condition()) continue;
      this.cursor = start;
      return choice;
    }
    this.cursor = this.limit - fromEnd;
    return null;
  }

  get slice(): string {
    return this.current.slice(this.bra, this.ket);
  }

  replaceSlice(text: string): boolean {
    if (this.bra < 0 || this.bra > this.ket || this.ket > this.limit) return false;
    this.#replace(this.bra, this.ket, text);
    return true;
  }

  insert(text: string, movesCursor: boolean): boolean {
    const at = this.cursor;
    const change = this.#replace(at, at, text);
    if (at <= this.bra) this.bra += change;
    if (at <= this.ket) this.ket += change;
    if (!movesCursor) this.cursor = at;
    return true;
  }

  #replace(from: number, to: number, text: string): number {
    const change = text.length - (to - from);
    this.current = this.current.slice(0, from) + text + this.current.slice(to);
    this.limit += change;
    if (this.cursor >= to) this.cursor += change;
    else if (this.cursor > from) this.cursor = from;
    return change;
  }
}

const NO_CHOICES: readonly Choice[] = [];

/** The strings that begin or end with a character; the empty string is under -1 and at the end of every list. */
function choicesAt(choices: ReadonlyMap<number, readonly Choice[]>, code: number): readonly Choice[] {
  return choices.get(code) ?? choices.get(-1) ?? NO_CHOICES;
}

/** Sorts the strings of an `among` by the character that is nearest to the cursor. */
export function sortChoices(all: readonly Choice[], isBackward: boolean): Map<number, Choice[]> {
  const sorted = new Map<number, Choice[]>();
  const empty = all.filter(({ text }) => text === '');
  for (const choice of all.toSorted((a, b) => b.text.length - a.text.length)) {
    const { text } = choice;
    if (text === '') continue;
    const code = text.charCodeAt(isBackward ? text.length - 1 : 0);
    const list = sorted.get(code);
    if (list === undefined) sorted.set(code, [choice]);
    else list.push(choice);
  }
  for (const list of sorted.values()) list.push(...empty);
  if (empty.length > 0) sorted.set(-1, empty);
  return sorted;
}
