/**
 * Compiles a stemmer of the Snowball project.
 *
 * In: a program in the Snowball language (https://snowballstem.org/compiler/snowman.html). Out: a function from words
 * to stems. What always holds: the stems are those of libstemmer, which the proof `stemmers` compares.
 *
 * Each command becomes a closure while it is parsed. Commands that no stemmer uses are not known.
 */
import { readAmount, readComparison, type Scope } from './snowball-amounts.ts';
import * as commands from './snowball-commands.ts';
import { readChange, readSimple } from './snowball-simple.ts';
import { TokenReader } from './snowball-tokens.ts';
import { type Choice, SnowballWord, sortChoices } from './snowball-word.ts';

type Command = commands.Command;

export function compileSnowball(source: string): (word: string) => string {
  const word = new SnowballWord();
  const stem = new Compiler(word, new TokenReader(source)).compile();
  return (text) => {
    word.set(text);
    stem();
    return word.current;
  };
}

interface PendingSubstring {
  choices: ReadonlyMap<number, readonly Choice[]>;
  found: Choice | null;
}

class Compiler {
  readonly #word: SnowballWord;
  readonly #tokens: TokenReader;
  readonly #scope: Scope;
  readonly #groups = new Map<string, ReadonlySet<number>>();
  readonly #routines = new Map<string, Command>();
  /** What the last `substring` found, for the `among` that follows it. */
  #pending: PendingSubstring | null = null;

  constructor(word: SnowballWord, tokens: TokenReader) {
    this.#word = word;
    this.#tokens = tokens;
    const values = { kinds: new Map(), numbers: new Map(), flags: new Map(), strings: new Map() };
    this.#scope = { word, tokens, isBackward: false, ...values };
  }

  compile(): Command {
    let external = '';
    while (this.#tokens.peek().kind !== 'end') {
      const { text } = this.#tokens.next();
      if (text === 'backwardmode') {
        this.#scope.isBackward = true;
        this.#tokens.expect('(');
      } else if (text === ')') {
        this.#scope.isBackward = false;
      } else if (text === 'define') {
        this.#define();
      } else {
        this.#tokens.expect('(');
        while (!this.#tokens.takes(')')) {
          const name = this.#tokens.next().text;
          this.#scope.kinds.set(name, text);
          if (text === 'externals') external = name;
        }
      }
    }
    return this.#routines.get(external) as Command;
  }

  #define(): void {
    const name = this.#tokens.next().text;
    if (this.#scope.kinds.get(name) !== 'groupings') {
      this.#tokens.expect('as');
      this.#routines.set(name, this.#command());
      return;
    }
    const group = new Set<number>();
    let isAdded = true;
    do {
      const token = this.#tokens.next();
      const codes =
        token.kind === 'literal' ? [...token.text].map((one) => one.charCodeAt(0)) : this.#group(token.text);
      for (const code of codes) {
        if (isAdded) group.add(code);
        else group.delete(code);
      }
      isAdded = this.#tokens.peek().text === '+';
    } while (this.#tokens.takes('+') || this.#tokens.takes('-'));
    this.#groups.set(name, group);
  }

  #group(name: string): ReadonlySet<number> {
    const group = this.#groups.get(name);
    if (group === undefined) throw new Error(`The group ${name} is not defined.`);
    return group;
  }

  #list(): Command {
    const list: Command[] = [];
    while (!this.#tokens.takes(')')) {
      let command = this.#command();
      for (let join = this.#join(); join !== null; join = this.#join()) {
        const operator = this.#tokens.peek().text;
        const operands = [command];
        while (this.#tokens.takes(operator)) operands.push(this.#command());
        command = join(this.#word, this.#scope.isBackward, operands);
      }
      list.push(command);
    }
    return commands.inOrder(list);
  }

  #join(): typeof commands.allOf | null {
    const { kind, text } = this.#tokens.peek();
    if (kind !== 'name') return null;
    if (text === 'and') return commands.allOf;
    return text === 'or' ? commands.anyOf : null;
  }

  #command(): Command {
    const word = this.#word;
    const isBackward = this.#scope.isBackward;
    const { kind, text } = this.#tokens.next();
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
        return commands.repeat(word, isBackward, readAmount(this.#scope), this.#command());
      case 'loop':
        return commands.loop(readAmount(this.#scope), this.#command());
      case 'backwards': {
        this.#scope.isBackward = true;
        const command = this.#command();
        this.#scope.isBackward = false;
        return commands.backwards(word, command);
      }
      case 'setlimit': {
        const findLimit = this.#command();
        this.#tokens.expect('for');
        return commands.withLimit(word, isBackward, findLimit, this.#command());
      }
      case 'among':
        return this.#among();
      case 'substring':
        return this.#substring();
      case '$':
        return readComparison(this.#scope);
      case '<-':
      case '<+':
      case 'insert':
      case 'attach':
        return readChange(this.#scope, text);
      case 'non':
        this.#tokens.takes('-');
        return this.#step(this.#tokens.next().text, false);
      default:
        return readSimple(this.#scope, text) ?? this.#named(text);
    }
  }

  #named(name: string): Command {
    const word = this.#word;
    switch (this.#scope.kinds.get(name)) {
      case 'booleans':
        return () => this.#scope.flags.get(name) ?? false;
      case 'groupings':
        return this.#step(name, true);
      case 'strings':
        return this.#scope.isBackward
          ? () => word.hasBefore(this.#scope.strings.get(name) ?? '')
          : () => word.has(this.#scope.strings.get(name) ?? '');
      case 'routines':
      case 'externals':
        // A routine may be defined later.
        return () => (this.#routines.get(name) as Command)();
      default:
        throw new Error(`${name} is not known.`);
    }
  }

  #step(name: string, isIn: boolean): Command {
    const word = this.#word;
    const group = this.#group(name);
    return this.#scope.isBackward ? () => word.stepBack(group, isIn) : () => word.step(group, isIn);
  }

  #substring(): Command {
    const word = this.#word;
    const pending: PendingSubstring = { choices: new Map(), found: null };
    this.#pending = pending;
    const isBackward = this.#scope.isBackward;
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
    this.#tokens.expect('(');
    while (!this.#tokens.takes(')')) {
      const { kind, text } = this.#tokens.next();
      if (kind === 'literal') {
        const condition = this.#tokens.peek().kind === 'name' ? this.#named(this.#tokens.next().text) : null;
        waiting.push({ text, condition });
        continue;
      }
      const action = this.#list();
      if (all.length === 0 && waiting.length === 0) starter = action;
      for (const one of waiting) all.push({ ...one, action });
      waiting = [];
    }
    for (const one of waiting) all.push({ ...one, action: null });
    pending.choices = sortChoices(all, this.#scope.isBackward);
    return () => {
      if (find !== null && !find()) return false;
      const found = pending.found;
      if (starter !== null && !starter()) return false;
      return found === null || found.action === null || found.action();
    };
  }
}
