/** Whether a terminal is given colours: never where somebody said no (no-color.org), nor where it says it has none. */
export function wantsColour(isTerminal: boolean, { NO_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  return isTerminal && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb';
}
