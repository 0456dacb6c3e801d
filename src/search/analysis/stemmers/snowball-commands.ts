/** The commands of the Snowball language that contain other commands. A command returns false if it fails. */
import type { SnowballWord } from './snowball-word.ts';

export type Command = () => boolean;
type Word = SnowballWord;

export function inOrder(commands: readonly Command[]): Command {
  const [only] = commands;
  if (only !== undefined && commands.length === 1) return only;
  return () => {
    for (const command of commands) if (!command()) return false;
    return true;
  };
}

/** Remembers the cursor. Working backward, its distance from the end of the word is what stays. */
function place(word: Word, isBackward: boolean): number {
  return isBackward ? word.limit - word.cursor : word.cursor;
}

function goBack(word: Word, isBackward: boolean, to: number): void {
  word.cursor = isBackward ? word.limit - to : to;
}

export function anyOf(word: Word, isBackward: boolean, commands: readonly Command[]): Command {
  return () => {
    const at = place(word, isBackward);
    for (const command of commands) {
      if (command()) return true;
      goBack(word, isBackward, at);
    }
    return false;
  };
}

export function allOf(word: Word, isBackward: boolean, commands: readonly Command[]): Command {
  return () => {
    const at = place(word, isBackward);
    for (const [i, command] of commands.entries()) {
      if (i > 0) goBack(word, isBackward, at);
      if (!command()) return false;
    }
    return true;
  };
}

/** `do`, `try`, `test`, `not` and `fail`: the answer, and whether the cursor goes back. */
export function guarded(word: Word, isBackward: boolean, name: string, command: Command): Command {
  return () => {
    const at = place(word, isBackward);
    const succeeded = command();
    if (name === 'fail') return false;
    if (name !== 'try' || !succeeded) goBack(word, isBackward, at);
    if (name === 'not') return !succeeded;
    return name === 'test' ? succeeded : true;
  };
}

/** Moves on until the command succeeds. `goto` stays before what the command has read, `gopast` behind it. */
export function search(word: Word, isBackward: boolean, staysBefore: boolean, command: Command): Command {
  return () => {
    for (;;) {
      const at = place(word, isBackward);
      const succeeded = command();
      if (!succeeded || staysBefore) goBack(word, isBackward, at);
      if (succeeded) return true;
      if (isBackward ? word.cursor <= word.limitBackward : word.cursor >= word.limit) return false;
      word.cursor += isBackward ? -1 : 1;
    }
  };
}

/** Runs the command at least so many times, and then until it fails. */
export function repeat(word: Word, isBackward: boolean, least: () => number, command: Command): Command {
  return () => {
    for (let left = least(); left > 0; left--) if (!command()) return false;
    for (;;) {
      const at = place(word, isBackward);
      if (command()) continue;
      goBack(word, isBackward, at);
      return true;
    }
  };
}

export function loop(times: () => number, command: Command): Command {
  return () => {
    for (let left = times(); left > 0; left--) if (!command()) return false;
    return true;
  };
}

export function backwards(word: Word, command: Command): Command {
  return () => {
    word.limitBackward = word.cursor;
    word.cursor = word.limit;
    if (!command()) return false;
    word.cursor = word.limitBackward;
    return true;
  };
}

/** Runs the second command with the limit to which the first one goes. */
export function withLimit(word: Word, isBackward: boolean, findLimit: Command, command: Command): Command {
  return () => {
    const at = place(word, isBackward);
    if (!findLimit()) return false;
    const before = isBackward ? word.limitBackward : word.limit - word.cursor;
    if (isBackward) word.limitBackward = word.cursor;
    else word.limit = word.cursor;
    goBack(word, isBackward, at);
    const succeeded = command();
    if (isBackward) word.limitBackward = before;
    else word.limit += before;
    return succeeded;
  };
}
