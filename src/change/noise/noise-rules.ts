/** What holds for one page: the table of rules but for those switched off, the selectors of its host, and what was learned of the page. */
import { OrbweaverError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';
import { NOISE_NAMES, type NoiseName } from './rule-table.ts';
import { parseSelector, type Selector } from './selector.ts';
import type { VolatileRegion } from './volatile-region.ts';

export interface NoiseRules {
  readonly off: ReadonlySet<NoiseName>;
  readonly ignore: readonly Selector[];
  readonly learned: readonly VolatileRegion[];
}

export const DEFAULT_NOISE_RULES: NoiseRules = Object.freeze({ off: new Set<NoiseName>(), ignore: [], learned: [] });

/** As the configuration has it. */
export interface NoiseSettings {
  /** Rules that do not hold. */
  readonly off?: readonly string[];
  /** Selectors by host name: `www.example.com`, `*.example.com` with the domain itself, `*` for all. */
  readonly ignore?: Readonly<Record<string, readonly string[]>>;
}

/** The settings, checked once. */
export class NoiseBook {
  readonly #off: ReadonlySet<NoiseName>;
  readonly #hosts: readonly { readonly host: string; readonly selectors: readonly Selector[] }[];

  /** Throws where a rule or a selector is not known. */
  constructor(settings: NoiseSettings = {}) {
    this.#off = new Set((settings.off ?? []).map(knownName));
    this.#hosts = Object.entries(settings.ignore ?? {}).map(([host, selectors]) => ({
      host: knownHost(host),
      selectors: selectors.map(parseSelector),
    }));
  }

  /** For a page of this host name (without a port). */
  rulesFor(hostname: string, learned: readonly VolatileRegion[] = []): NoiseRules {
    const name = hostname.toLowerCase();
    const ignore = this.#hosts.filter(({ host }) => covers(host, name)).flatMap(({ selectors }) => selectors);
    return { off: this.#off, ignore, learned };
  }
}

function covers(pattern: string, hostname: string): boolean {
  if (pattern === '*' || pattern === hostname) return true;
  return pattern.startsWith('*.') && (hostname.endsWith(pattern.slice(1)) || hostname === pattern.slice(2));
}

function knownName(name: string): NoiseName {
  const found = NOISE_NAMES.find((known) => known === name);
  if (found !== undefined) return found;
  throw new OrbweaverError('ERR_BAD_OPTION', `There is no noise rule "${name}"${didYouMean(name, NOISE_NAMES)}`);
}

function knownHost(host: string): string {
  const lower = host.toLowerCase();
  if (/^(?:\*|(?:\*\.)?[a-z0-9\u0080-\uffff_-]+(?:\.[a-z0-9\u0080-\uffff_-]+)*|\[[0-9a-f:]+\])$/.test(lower))
    return lower;
  throw new OrbweaverError('ERR_BAD_OPTION', `"${host}" is no host name; write www.example.com, *.example.com or *.`);
}
