/** Checks the noise options of the user (`--ignore`, `--only-in`, `--noise-off`). */
import { NoiseBook } from '../../../change/noise/noise-rules.ts';
import { OrbweaverError } from '../../../core/errors.ts';
import type { RefreshOptions } from '../../../core/options/refresh-options.ts';

/** Throws if a selector is invalid or a rule name is unknown. */
export function noiseBookOf({ ignore, onlyIn, noiseOff }: RefreshOptions): NoiseBook {
  const settings = { off: noiseOff, ignore: byHost('--ignore', ignore), onlyIn: byHost('--only-in', onlyIn) };
  try {
    return new NoiseBook(settings);
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--ignore, --only-in or --noise-off: ${(error as Error).message}`);
  }
}

function byHost(flag: string, written: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const selectors: Record<string, string[]> = {};
  for (const text of written) {
    const at = text.indexOf('|');
    if (at < 1) throw new OrbweaverError('ERR_BAD_OPTION', `${flag} needs "host|selector", not "${text}"`);
    const host = text.slice(0, at).trim();
    selectors[host] = [...(selectors[host] ?? []), text.slice(at + 1).trim()];
  }
  return selectors;
}
