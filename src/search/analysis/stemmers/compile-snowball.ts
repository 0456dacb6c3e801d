/**
 * Compiles a stemmer of the Snowball project.
 *
 * In: a program in the Snowball language (https://snowballstem.org/compiler/snowman.html). Out: a function from words to
 * stems. What always holds: the stems are those of libstemmer, which the proof `stemmers` compares.
 *
 * Each command becomes a closure while it is parsed. Of the language only what the stemmers use is there.
 */
import * as commands from './snowball-commands.ts';
import { readTokens, type Token } from './snowball-tokens.ts';
import { type Choice, SnowballWord, sortChoices } from './snowball-word.ts';

type Command = commands.Command;
type Amount = () => number;

export function compileSnowball(source: string): (word: string) => string {
  const program = new Compiler(readTokens(source));
  const stem = program.compile();
  return (text) => {
    program.word.set(text);
    stem();
    return program.word.current;
  };
}

interface PendingSubstring {
  choices: ReadonlyMap<number, readonly Choice[]>;
  found: Choice | null;
}

class Compiler {
  readonly word = new SnowballWord();
  readonly #tokens: readonly Token[];
  #at = 0;
  #isBackward = false;
  readonly #kinds = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  readonly #flags = new Map<string, boolean>();
  readonly #strings = new Map<string, string>();
  readonly #groups = new Map<string, ReadonlySet<number>>();
  readonly #routines = new Map<string, Command>();
  /** What the last `substring` found, for the `among` that follows it. */
  #pending: PendingSubstring | null = null;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  compile(): Command {
    let external = '';
    while (this.#peek().kind !== 'end') {
      const { text } = this.#next();
      if (text === 'backwardmode') {
        this.#isBackward = true;
        this.#expect('(');
      } else if (text === ')') {
        this.#isBackward = false;
      } else if (text === 'define') {
        this.#define();
      } else {
        this.#expect('(');
        while (!this.#takes(')')) {
          const name = this.#next().text;
          this.#kinds.set(name, text);
          if (text === 'externals') external = name;
        }
      }
    }
    return this.#routines.get(external) as Command;
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #next(): Token {
    return this.#tokens[this.#at++] as Token;
  }

  #takes(text: string): boolean {
    const token = this.#peek();
    if (token.kind === 'literal' || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw new Error(`There is ${this.#peek().text} where ${text} should be.`);
  }

  #define(): void {
    const name = this.#next().text;
    if (this.#kinds.get(name) !== 'groupings') {
      this.#expect('as');
      this.#routines.set(name, this.#command());
      return;
    }
    const group = new Set<number>();
    let isAdded = true;
    do {
      const token = this.#next();
      const codes =
        token.kind === 'literal' ? [...token.text].map((one) => one.charCodeAt(0)) : this.#group(token.text);
      for (const code of codes) {
        if (isAdded) group.add(code);
        else group.delete(code);
      }
      isAdded = this.#peek().text === '+';
    } while (this.#takes('+') || this.#takes('-'));
    this.#groups.set(name, group);
  }

  #group(name: string): ReadonlySet<number> {
    const group = this.#groups.get(name);
    if (group === undefined) throw new Error(`The group ${name} is not defined.`);
    return group;
  }

  #list(): Command {
    const list: Command[] = [];
    while (!this.#takes(')')) {
      let command = this.#command();
      for (let join = this.#join(); join !== null; join = this.#join()) {
        const operator = this.#peek().text;
        const operands = [command];
        while (this.#takes(operator)) operands.push(this.#command());
        command = join(this.word, this.#isBackward, operands);
      }
      list.push(command);
    }
    return commands.inOrder(list);
  }

  #join(): typeof commands.allOf | null {
    const { kind, text } = this.#peek();
    if (kind !== 'name') return null;
    if (text === 'and') return commands.allOf;
    return text === 'or' ? commands.anyOf : null;
  }

  #command(): Command {
    const { word } = this;
    const isBackward = this.#isBackward;
    const { kind, text } = this.#next();
    if (kind === 'literal') return isBackward ? () => word.hasBefore(text) : () => word.has(text);
    switch (text) {
      case '(':
        return this.#list();
      case 'do':
      case 'try':
      case 'test':
      case 'not':
      case 'fail':
        return commands.guarded(word, isBackward, text, this.#command());
      case 'goto':
      case 'gopast':
        return commands.search(word, isBackward, text === 'goto', this.#command());
      case 'repeat':
        return commands.repeat(word, isBackward, () => 0, this.#command());
      case 'atleast':
        return commands.repeat(word, isBackward, this.#amount(), this.#command());
      case 'loop':
        return commands.loop(this.#amount(), this.#command());
      case 'backwards': {
        this.#isBackward = true;
        const command = this.#command();
        this.#isBackward = false;
        return commands.backwards(word, command);
      }
      case 'setlimit': {
        const findLimit = this.#command();
        this.#expect('for');
        return commands.withLimit(word, isBackward, findLimit, this.#command());
      }
      case 'among':
        return this.#among();
      case 'substring':
        return this.#substring();
      case '$':
        return this.#comparison();
      case '<-':
      case '<+':
      case 'insert':
      case 'attach':
        return this.#change(text);
      case 'non':
        this.#takes('-');
        return this.#step(this.#next().text, false);
      default:
        return this.#simple(text) ?? this.#named(text);
    }
  }

  /** Commands without other commands in them. */
  #simple(text: string): Command | null {
    const { word } = this;
    const isBackward = this.#isBackward;
    switch (text) {
      case '[':
      case ']': {
        const isKet = (text === ']') !== isBackward;
        return () => {
          if (isKet) word.ket = word.cursor;
          else word.bra = word.cursor;
          return true;
        };
      }
      case 'delete':
        return () => word.replaceSlice('');
      case 'next':
        return this.#hop(() => 1);
      case 'hop':
        return this.#hop(this.#amount());
      case 'true':
        return () => true;
      case 'false':
        return () => false;
      case 'tolimit':
        return () => {
          word.cursor = isBackward ? word.limitBackward : word.limit;
          return true;
        };
      case 'atlimit':
        return () => (isBackward ? word.cursor <= word.limitBackward : word.cursor >= word.limit);
      case 'tomark': {
        const mark = this.#amount();
        return () => {
          const to = mark();
          if (isBackward ? word.cursor < to : word.cursor > to) return false;
          word.cursor = to;
          return true;
        };
      }
      case 'atmark': {
        const mark = this.#amount();
        return () => word.cursor === mark();
      }
      case 'setmark': {
        const name = this.#next().text;
        return () => this.#done(this.#numbers.set(name, word.cursor));
      }
      case 'set':
      case 'unset': {
        const name = this.#next().text;
        return () => this.#done(this.#flags.set(name, text === 'set'));
      }
      case '->': {
        const name = this.#next().text;
        return () => this.#done(this.#strings.set(name, word.slice));
      }
      default:
        return null;
    }
  }

  #done(_effect: unknown): boolean {
    return true;
  }

  #named(name: string): Command {
    const { word } = this;
    switch (this.#kinds.get(name)) {
      case 'booleans':
        return () => this.#flags.get(name) ?? false;
      case 'groupings':
        return this.#step(name, true);
      case 'strings':
        return this.#isBackward
          ? () => word.hasBefore(this.#strings.get(name) ?? '')
          : () => word.has(this.#strings.get(name) ?? '');
      case 'routines':
      case 'externals':
        // A routine may be defined later.
        return () => (this.#routines.get(name) as Command)();
      default:
        throw new Error(`${name} is not known.`);
    }
  }

  #step(name: string, isIn: boolean): Command {
    const { word } = this;
    const group = this.#group(name);
    return this.#isBackward ? () => word.stepBack(group, isIn) : () => word.step(group, isIn);
  }

  #hop(amount: Amount): Command {
    const { word } = this;
    const direction = this.#isBackward ? -1 : 1;
    return () => {
      const to = word.cursor + direction * amount();
      if (to < word.limitBackward || to > word.limit) return false;
      word.cursor = to;
      return true;
    };
  }

  /** Replaces the slice, or inserts text at the cursor. */
  #change(text: string): Command {
    const { word } = this;
    const { kind, text: given } = this.#next();
    const value = kind === 'literal' ? () => given : () => this.#strings.get(given) ?? '';
    if (text === '<-') return () => word.replaceSlice(value());
    const movesCursor = (text === 'attach') === this.#isBackward;
    return () => word.insert(value(), movesCursor);
  }

  #substring(): Command {
    const { word } = this;
    const pending: PendingSubstring = { choices: new Map(), found: null };
    this.#pending = pending;
    const isBackward = this.#isBackward;
    return () => {
      pending.found = isBackward ? word.findBefore(pending.choices) : word.find(pending.choices);
      return pending.found !== null;
    };
  }

  #among(): Command {
    const find = this.#pending === null ? this.#substring() : null;
    const pending = this.#pending as PendingSubstring;
    this.#pending = null;
    const all: Choice[] = [];
    let waiting: Omit<Choice, 'action'>[] = [];
    let starter: Command | null = null;
    this.#expect('(');
    while (!this.#takes(')')) {
      const { kind, text } = this.#next();
      if (kind === 'literal') {
        const condition = this.#peek().kind === 'name' ? this.#named(this.#next().text) : null;
        waiting.push({ text, condition });
        continue;
      }
      const action = this.#list();
      if (all.length === 0 && waiting.length === 0) starter = action;
      for (const one of waiting) all.push({ ...one, action });
      waiting = [];
    }
    for (const one of waiting) all.push({ ...one, action: null });
    pending.choices = sortChoices(all, this.#isBackward);
    return () => {
      if (find !== null && !find()) return false;
      const found = pending.found;
      if (starter !== null && !starter()) return false;
      return found === null || found.action === null || found.action();
    };
  }

  /** `$x = …`, `$x += …`, `$x < …` and `$(… < …)`. */
  #comparison(): Command {
    if (this.#takes('(')) {
      const left = this.#amount();
      const operator = this.#next().text;
      const right = this.#amount();
      this.#expect(')');
      return compare(left, operator, right);
    }
    const name = this.#next().text;
    const operator = this.#next().text;
    const right = this.#amount();
    const left = () => this.#numbers.get(name) ?? 0;
    switch (operator) {
      case '=':
        return () => this.#done(this.#numbers.set(name, right()));
      case '+=':
        return () => this.#done(this.#numbers.set(name, left() + right()));
      case '-=':
        return () => this.#done(this.#numbers.set(name, left() - right()));
      default:
        return compare(left, operator, right);
    }
  }

  #amount(): Amount {
    let left = this.#term();
    for (;;) {
      const before = left;
      if (this.#takes('+')) {
        const right = this.#term();
        left = () => before() + right();
      } else if (this.#takes('-')) {
        const right = this.#term();
        left = () => before() - right();
      } else {
        return left;
      }
    }
  }

  #term(): Amount {
    const { word } = this;
    const { kind, text } = this.#next();
    if (kind === 'number') return () => Number(text);
    switch (text) {
      case '(': {
        const amount = this.#amount();
        this.#expect(')');
        return amount;
      }
      case '-': {
        const amount = this.#term();
        return () => -amount();
      }
      case 'cursor':
        return () => word.cursor;
      case 'limit':
        return this.#isBackward ? () => word.limitBackward : () => word.limit;
      case 'len':
        return () => word.current.length;
      case 'sizeof': {
        const { length } = this.#next().text;
        return () => length;
      }
      default:
        if (this.#kinds.get(text) !== 'integers') throw new Error(`${text} is no number.`);
        return () => this.#numbers.get(text) ?? 0;
    }
  }
}

function compare(left: Amount, operator: string, right: Amount): Command {
  switch (operator) {
    case '<':
      return () => left() < right();
    case '<=':
      return () => left() <= right();
    case '>':
      return () => left() > right();
    case '>=':
      return () => left() >= right();
    case '==':
      return () => left() === right();
    case '!=':
      return () => left() !== right();
    default:
      throw new Error(`${operator} compares no numbers.`);
  }
}
