/** Flags that take a time in the past. */
import { OrbweaverError } from '../core/errors.ts';
import { MOMENT_HINT, parseMoment } from '../core/text/moment.ts';
import type { ParsedArguments } from './arguments.ts';

/** Parses a flag that takes a time in the past; null if the flag is not given. */
export function momentFlag(args: ParsedArguments, name: string): number | null {
  const text = args.flags[name] as string | undefined;
  if (text === undefined) return null;
  const atMs = parseMoment(text);
  if (atMs === null) throw new OrbweaverError('ERR_BAD_OPTION', `--${name} needs ${MOMENT_HINT}, not "${text}"`);
  return atMs;
}
