/**
 * The value that a person typed, in the form of the present value: a list has one value per line, a number is a number
 * if it looks like one. The server checks it and says what is wrong.
 */
export function valueFrom(typed: string, present: unknown): unknown {
  if (Array.isArray(present)) {
    return typed
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
  const text = typed.trim();
  if (typeof present === 'number' && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  return text === '' ? null : text;
}

/** The choices of a rule with a closed list, such as `page|prefix|host`; null for every other rule. */
export function choicesIn(hint: string): readonly string[] | null {
  const choices = hint.split('|');
  return choices.length > 1 && choices.every((choice) => /^[\w-]+$/.test(choice)) ? choices : null;
}
