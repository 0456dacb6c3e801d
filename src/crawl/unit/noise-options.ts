/** Checks the noise options of the user (`--ignore`, `--noise-off`). */
import { NoiseBook } from '../../change/noise/noise-rules.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { RefreshOptions } from '../../core/options/refresh-options.ts';

/** Throws if a selector is invalid or a rule name is unknown. */
export function noiseBookOf({ ignore, noiseOff }: RefreshOptions): NoiseBook {
  const byHost: Record<string, string[]> = {};
  for (const text of ignore) {
    const at = text.indexOf('|');
    if (at < 1) throw new OrbweaverError('ERR_BAD_OPTION', `--ignore needs "host|selector", not "${text}"`);
    const host = text.slice(0, at).trim();
    byHost[host] = [...(byHost[host] ?? []), text.slice(at + 1).trim()];
  }
  try {
    return new NoiseBook({ off: noiseOff, ignore: byHost });
  } catch (error) {
    throw new OrbweaverError('ERR_BAD_OPTION', `--ignore or --noise-off: ${(error as Error).message}`);
  }
}
