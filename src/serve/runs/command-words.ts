/** The command line that does the same as a button of the interface. */
export function shellWords(command: string, ...more: readonly string[]): string {
  return ['orbweaver', command, ...more].filter((word) => word !== '').join(' ');
}
