/**
 * The noise rules of one page: the rule table without the rules that are switched off, the selectors of its host, and
 * the regions that were learned for the page.
 */

import { didYouMean } from '../../core/did-you-mean.ts';
import { OrbweaverError } from '../../core/errors.ts';
import type { VolatileRegion } from './learned/volatile-path.ts';
import { NOISE_NAMES, type NoiseName } from './rule-table.ts';
import { parseSelector, type Selector } from './selectors/selector.ts';

export interface NoiseRules {
  readonly off: ReadonlySet<NoiseName>;
  readonly ignore: readonly Selector[];
  readonly learned: readonly VolatileRegion[];
  /** Only the content of these elements counts as content. Empty: the whole page. */
  readonly onlyIn: readonly Selector[];
}

export const DEFAULT_NOISE_RULES: NoiseRules = Object.freeze({
  off: new Set<NoiseName>(),
  ignore: [],
  learned: [],
  onlyIn: [],
});

/** The noise settings of the configuration. */
export interface NoiseSettings {
  /** Names of rules that are switched off. */
  readonly off?: readonly string[];
  /**
   * Selectors by host name: `www.example.com`, `*.example.com` (which
   * includes the domain itself), or `*` for all hosts.
   */
  readonly ignore?: Readonly<Record<string, readonly string[]>>;
  /** The parts of pages that are watched, in the same form. */
  readonly onlyIn?: Readonly<Record<string, readonly string[]>>;
}

interface HostSelectors {
  readonly host: string;
  readonly selectors: readonly Selector[];
}

/** The settings, validated once. */
export class NoiseBook {
  readonly #off: ReadonlySet<NoiseName>;
  readonly #ignore: readonly HostSelectors[];
  readonly #onlyIn: readonly HostSelectors[];

  /** Throws if a rule is unknown or a selector is invalid. */
  constructor(settings: NoiseSettings = {}) {
    this.#off = new Set((settings.off ?? []).map(knownName));
    this.#ignore = parsed(settings.ignore ?? {});
    this.#onlyIn = parsed(settings.onlyIn ?? {});
  }

  /** The rules for a page of this host name (without a port). */
  rulesFor(hostname: string, learned: readonly VolatileRegion[] = []): NoiseRules {
    const name = hostname.toLowerCase();
    return {
      off: this.#off,
      ignore: selectorsFor(this.#ignore, name),
      learned,
      onlyIn: selectorsFor(this.#onlyIn, name),
    };
  }
}

function parsed(byHost: Readonly<Record<string, readonly string[]>>): HostSelectors[] {
  return Object.entries(byHost).map(([host, selectors]) => ({
    host: knownHost(host),
    selectors: selectors.map(parseSelector),
  }));
}

function selectorsFor(hosts: readonly HostSelectors[], name: string): readonly Selector[] {
  return hosts.filter(({ host }) => covers(host, name)).flatMap(({ selectors }) => selectors);
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
  throw new OrbweaverError(
    'ERR_BAD_OPTION',
    `"${host}" is not a host name; write www.example.com, *.example.com or *.`,
  );
}
