/** What the user says of noise (`--ignore`, `--noise-off`), checked. */
import { NoiseBook } from '../change/noise/noise-rules.ts';
import { OrbweaverError } from '../core/errors.ts';
import type { RefreshOptions } from '../core/refresh-options.ts';

/** Refuses a selector or the name of a rule that is none. */
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
