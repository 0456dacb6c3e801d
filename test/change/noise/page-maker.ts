/**
 * One rendering of a generated page. Its content comes from a seed. The values that a server draws for each answer
 * come from the seed and the number of the visit, rule by rule. So two renderings differ in exactly the requested
 * noise, or in one slot of the content, or in both.
 */
import type { NoiseRuleName } from '../../../src/change/noise/rule-table.ts';
import { randomNumbers } from '../random-text.ts';
import type { SlotType } from './real-edits.ts';

export interface Rendering {
  readonly seed: number;
  /** Rules whose noise comes from the second visit. */
  readonly varied: ReadonlySet<NoiseRuleName>;
  /** The slot to edit, and the edit. */
  readonly edit?: { readonly slot: number; readonly apply: (value: string, random: () => number) => string };
}

export interface Slot {
  readonly type: SlotType;
  readonly value: string;
}

/** Marks a place where a line may break invisibly. `finish` replaces it by the white space of the visit. */
const BREAK = '\ue000';

export class PageMaker {
  readonly slots: Slot[] = [];
  readonly random: () => number;
  readonly #rendering: Rendering;
  readonly #drawn = new Map<NoiseRuleName, number>();

  constructor(rendering: Rendering) {
    this.#rendering = rendering;
    this.random = randomNumbers(rendering.seed * 7_919);
  }

  /** A piece of content whose change a reader would notice. */
  slot(type: SlotType, value: string): string {
    const number = this.slots.push({ type, value }) - 1;
    const { edit, seed } = this.#rendering;
    return edit?.slot === number ? edit.apply(value, randomNumbers(seed * 31 + number)) : value;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)]!;
  }

  number(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  isChosen(share: number): boolean {
    return this.random() < share;
  }

  /** The values that the server draws for this visit. */
  drawn(rule: NoiseRuleName): Draw {
    const count = (this.#drawn.get(rule) ?? 0) + 1;
    this.#drawn.set(rule, count);
    const { seed, varied } = this.#rendering;
    let mixed = seed * 1_009 + count * 17 + (varied.has(rule) ? 500_009 : 0);
    for (const letter of rule) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
    return new Draw(randomNumbers(mixed));
  }

  /** Writes attributes in the order of the visit, and also the words of a class. */
  tag(name: string, attributes: Readonly<Record<string, string>>): string {
    const draw = this.drawn('attribute-order');
    const written = draw.shuffled(Object.entries(attributes)).map(([attribute, value]) => {
      const words = attribute === 'class' ? draw.shuffled(value.split(' ')).join(' ') : value;
      return ` ${attribute}="${words}"`;
    });
    return `<${name}${written.join('')}>`;
  }

  lines(...parts: readonly string[]): string {
    return parts.filter((part) => part !== '').join(BREAK);
  }

  finish(html: string): string {
    const draw = this.drawn('white-space');
    const styles = ['\n', '\n  ', '\n\n', '', '\r\n\t'];
    return html.replaceAll(BREAK, () => draw.pick(styles));
  }
}

/** Random values of one visit. */
export class Draw {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
    // Skips the first values, because neighbouring seeds begin with similar ones.
    for (let i = 0; i < 3; i++) random();
  }

  number(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.number(0, items.length - 1)]!;
  }

  letters(count: number, alphabet = '0123456789abcdef'): string {
    return Array.from({ length: count }, () => this.pick([...alphabet])).join('');
  }

  base64(count: number): string {
    return `${this.letters(count - 4, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')}${this.number(10, 99)}==`;
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((count) => this.letters(count)).join('-');
  }

  shuffled<T>(items: readonly T[]): T[] {
    const rest = [...items];
    const shuffled: T[] = [];
    while (rest.length > 0) shuffled.push(...rest.splice(this.number(0, rest.length - 1), 1));
    return shuffled;
  }
}
