/**
 * Writes blocks one below the other, inside of containers: quotes, items of lists and footnotes. In: the text of each
 * block. Out: lines with the prefixes of their containers, and empty lines where Markdown needs them.
 *
 * What always holds: the output has at most MAX_CHARS characters, and at most MAX_CONTAINERS containers are nested.
 * Deeper lists and quotes are written as blocks of the innermost container.
 */
const MAX_CHARS = 20_000_000;
const MAX_CONTAINERS = 40;
const MAX_NUMBER = 999_999_999;

interface Container {
  /** Stands before the first line. */
  readonly first: string;
  /** Stands before all other lines. */
  readonly rest: string;
  /** The list of an item. */
  readonly list: List | null;
  /** True until the first line is written. */
  isPending: boolean;
  blocks: number;
  /** The sign of the list that was written last, if nothing followed it. A list beside it needs another sign. */
  lastSign: string;
}

export interface List {
  readonly sign: string;
  number: number;
  readonly step: number;
  items: number;
  isLoose: boolean;
  /** The width of the last prefix. */
  width: number;
}

export class BlockWriter {
  readonly #parts: string[] = [];
  readonly #containers: Container[] = [containerOf('', '', null)];
  #chars = 0;
  #restPrefix = '';
  #isCut = false;

  get isFull(): boolean {
    return this.#isCut || this.#chars >= MAX_CHARS;
  }

  get canNest(): boolean {
    return this.#containers.length < MAX_CONTAINERS;
  }

  /** True if nothing has been written into the innermost item or quote. */
  get isAtStart(): boolean {
    return this.#inner.isPending;
  }

  /** Starts a list at the current place. */
  newList(isOrdered: boolean, start: number, step: number): List {
    const { lastSign } = this.#inner;
    const sign = isOrdered ? (lastSign === '.' ? ')' : '.') : lastSign === '-' ? '+' : '-';
    return { sign, number: start, step, items: 0, isLoose: false, width: 2 };
  }

  endList(list: List): void {
    if (list.items > 0) this.#inner.lastSign = list.sign;
  }

  openItem(list: List, number: number): void {
    const isOrdered = list.sign === '.' || list.sign === ')';
    const value = Math.min(MAX_NUMBER, Math.max(0, number));
    const first = isOrdered ? `${value}${list.sign} ` : `${list.sign} `;
    list.width = first.length;
    this.#push(containerOf(first, ' '.repeat(first.length), list));
  }

  /** Continues the last item of a list. */
  reopenItem(list: List): void {
    const container = containerOf('', ' '.repeat(list.width), null);
    container.isPending = false;
    this.#push(container);
  }

  openQuote(): void {
    this.#push(containerOf('> ', '> ', null));
  }

  openNote(first: string, rest: string): void {
    this.#push(containerOf(first, rest, null));
  }

  close(): void {
    const closed = this.#containers.pop() as Container;
    if (!closed.isPending) this.#inner.blocks++;
    this.#setPrefix();
  }

  /** Writes a block of one or more lines. */
  write(block: string): void {
    if (this.isFull) return;
    this.#separate();
    const pending = this.#containers.findIndex(({ isPending }) => isPending);
    const prefix = pending < 0 ? this.#restPrefix : this.#takeFirstPrefix();
    this.#emit(`${prefix}${this.#indentLines(this.#cut(block))}\n`);
    const { blocks } = this.#inner;
    this.#inner.blocks = blocks + 1;
    this.#inner.lastSign = '';
  }

  finish(): string {
    if (this.isFull) this.#parts.push('\n…\n');
    return this.#parts.join('');
  }

  get #inner(): Container {
    return this.#containers.at(-1) as Container;
  }

  #push(container: Container): void {
    if (container.list === null) this.#inner.lastSign = '';
    this.#containers.push(container);
    this.#setPrefix();
  }

  #setPrefix(): void {
    this.#restPrefix = this.#containers.map(({ rest }) => rest).join('');
  }

  /** Writes an empty line before the next block, unless both belong closely together. */
  #separate(): void {
    if (this.#chars === 0) return;
    const pending = this.#containers.findIndex(({ isPending }, i) => i > 0 && isPending);
    if (pending < 0) {
      const { list, blocks } = this.#inner;
      if (list !== null && blocks > 0) list.isLoose = true;
      this.#emit(`${this.#restPrefix.trimEnd()}\n`);
      return;
    }
    const { list } = this.#containers[pending] as Container;
    const outer = this.#containers[pending - 1] as Container;
    if (list !== null && list.items > 0 && !list.isLoose) return;
    if (list !== null && list.items === 0) {
      // A list directly below the text of an item. A number other than 1 cannot interrupt a paragraph.
      const first = (this.#containers[pending] as Container).first;
      const canInterrupt = !/^\d/.test(first) || first.startsWith('1.') || first.startsWith('1)');
      if (outer.list !== null && outer.blocks === 1 && canInterrupt) return;
    }
    if (outer.list !== null && outer.blocks > 0 && (list === null || list.items === 0)) outer.list.isLoose = true;
    const prefix = this.#containers.slice(0, pending).map(({ rest }) => rest);
    this.#emit(`${prefix.join('').trimEnd()}\n`);
  }

  /** The part of the block that fits into the output, even if each of its characters is a line. */
  #cut(block: string): string {
    const left = MAX_CHARS - this.#chars;
    if (block.length * (1 + this.#restPrefix.length) <= left) return block;
    const lines = this.#restPrefix === '' ? 0 : block.split('\n').length;
    if (block.length + lines * this.#restPrefix.length <= left) return block;
    this.#isCut = true;
    return block.slice(0, Math.floor(left / (1 + this.#restPrefix.length)));
  }

  /** An empty line gets no white space at its end. */
  #indentLines(block: string): string {
    if (this.#restPrefix === '' || !block.includes('\n')) return block;
    const [rest, bare] = [this.#restPrefix, this.#restPrefix.trimEnd()];
    const [first, ...others] = block.split('\n');
    return [first, ...others.map((line) => (line === '' ? bare : rest + line))].join('\n');
  }

  #takeFirstPrefix(): string {
    let prefix = '';
    for (const container of this.#containers) {
      prefix += container.isPending ? container.first : container.rest;
      if (container.isPending && container.list !== null) container.list.items++;
      container.isPending = false;
    }
    return prefix;
  }

  #emit(text: string): void {
    this.#parts.push(text);
    this.#chars += text.length;
  }
}

function containerOf(first: string, rest: string, list: List | null): Container {
  return { first, rest, list, isPending: first !== '', blocks: 0, lastSign: '' };
}
