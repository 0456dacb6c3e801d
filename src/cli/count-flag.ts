import { OrbweaverError } from '../core/errors.ts';
import { wholeNumber } from '../core/option-values.ts';
import { type ParsedArguments, stringFlag } from './arguments.ts';

/** A flag that takes a whole number, from 0 on. */
export function countFlag(args: ParsedArguments, name: string, fallback: number, most: number): number {
  try {
    return wholeNumber(0, most)(stringFlag(args, name, String(fallback)));
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--${name} ${(error as Error).message}`);
  }
}
