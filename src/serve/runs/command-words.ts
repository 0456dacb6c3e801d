/** The command line that does the same as a button of the interface. */
export function shellWords(command: string, ...more: readonly string[]): string {
  return ['orbweaver', command, ...more].filter((word) => word !== '').join(' ');
}

/** Quotes a word so that a person can paste it into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
