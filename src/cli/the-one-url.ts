import { OrbweaverError } from '../core/errors.ts';

/** The one URL that a command takes. */
export function theOneUrl(command: string, words: readonly string[]): string {
  const [text, ...rest] = words;
  if (text === undefined) throw new OrbweaverError('ERR_BAD_URL', `which URL? write: orbweaver ${command} <url>`);
  if (rest.length > 0) throw new OrbweaverError('ERR_USAGE', `orbweaver ${command} takes one URL at a time`);
  return text;
}
