/**
 * Decides which private addresses a crawl may reach. In: the seeds and `--allow-private`, as the user typed them, now
 * or at the start of the crawl. Out: the rule for every connection of the crawl (fetch/addresses/private-rule.ts).
 *
 * What always holds: DNS, pages and redirects have no part in the decision. Both inputs are
 * stored with the crawl, so a later run decides the same.
 */
import { isIP } from 'node:net';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import type { AllowPrivate } from '../core/options/allow-private.ts';
import type { CrawlOptions } from '../core/options/options.ts';
import { DNS_DEFAULTS } from '../fetch/addresses/dns-cache.ts';
import { addressClass } from '../fetch/addresses/private-address.ts';
import { isLocalName, nameOf, PrivateJudge, type PrivateRule } from '../fetch/addresses/private-rule.ts';
import type { Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { typedSeeds } from './earlier-runs.ts';

/** A slower name server does not delay the start: its host is judged when the crawl connects to it. */
const LOOKUP_WITHIN_MS = 5_000;
/** The largest number of seeds in one message, and of warnings. */
const MAX_NAMED_SEEDS = 5;

/**
 * A list in `--allow-private` is the whole answer. Otherwise all private addresses are open if
 * the option is given without a list, or if every seed is private. A private seed may always
 * be reached at its own origin, because the user typed it.
 */
export function privateRuleOf(seeds: readonly string[], allowPrivate: AllowPrivate): PrivateRule {
  const origins = [...new Set(seeds.map(hostOf))];
  const privateOrigins = origins.filter((origin) => isPrivateName(nameOf(origin)));
  if (Array.isArray(allowPrivate)) {
    return { privateAddresses: 'deny', allowedPrivateHosts: privateOrigins, allowedPrivate: allowPrivate };
  }
  const isWhollyPrivate = origins.length > 0 && privateOrigins.length === origins.length;
  if (allowPrivate !== true && !isWhollyPrivate) {
    return { privateAddresses: 'deny', allowedPrivateHosts: privateOrigins, allowedPrivate: [] };
  }
  const named = privateOrigins.filter((origin) => addressClass(nameOf(origin)) === 'must-be-named');
  return { privateAddresses: 'allow', allowedPrivateHosts: named, allowedPrivate: [] };
}

/** The rule of a crawl with stored seeds. `written` are seeds that are not stored yet. */
export async function privateRuleFor(
  store: Pick<Store, 'note'>,
  written: readonly string[],
  { allowPrivate }: Pick<CrawlOptions, 'allowPrivate'>,
): Promise<PrivateRule> {
  return privateRuleOf([...(await typedSeeds(store)), ...written], allowPrivate);
}

interface ClosedSeed {
  readonly seed: string;
  readonly addresses: readonly string[];
  /** The value to write after `--allow-private=`. */
  readonly remedy: string;
}

/** Whether a seed is written with a private address or a local name. A crawl with such a seed may reach it. */
export function isPrivateSeed(seed: string): boolean {
  return isPrivateName(nameOf(hostOf(seed)));
}

/** Throws if a seed that the user has just typed leads only to addresses that the rule does not allow. */
export async function refuseClosedSeeds(seeds: readonly string[], rule: PrivateRule): Promise<void> {
  const closed = await closedSeeds(seeds, rule);
  const [first] = closed;
  if (first === undefined) return;
  const others = closed.length === 1 ? '' : `, and so have ${closed.length - 1} other seeds`;
  throw new OrbweaverError(
    'ERR_PRIVATE_SEED',
    `${first.seed} has only private addresses (${first.addresses.join(', ')})${others}; ` +
      `to allow them: --allow-private=${closed
        .slice(0, MAX_NAMED_SEEDS)
        .map(({ remedy }) => remedy)
        .join(',')}`,
  );
}

/** Warns about seeds of earlier runs that lead only to forbidden addresses. Their pages are kept but not requested. */
export async function warnOfClosedSeeds(seeds: readonly string[], rule: PrivateRule): Promise<void> {
  for (const { seed, addresses, remedy } of (await closedSeeds(seeds, rule)).slice(0, MAX_NAMED_SEEDS)) {
    const message = `${seed} now has only private addresses (${addresses.join(', ')}) and is not requested; to allow it: --allow-private=${remedy}`;
    publish('crawl/warning', { message });
  }
}

async function closedSeeds(seeds: readonly string[], rule: PrivateRule): Promise<ClosedSeed[]> {
  const judge = new PrivateJudge(rule);
  const byOrigin = new Map(seeds.map((seed) => [hostOf(seed), seed] as const));
  const judged = [...byOrigin].map(async ([origin, seed]): Promise<ClosedSeed[]> => {
    const name = nameOf(origin);
    if (isPrivateName(name) || isIP(name) !== 0) return [];
    const addresses = await addressesOf(name);
    if (addresses.length === 0 || addresses.some((address) => judge.allows(origin, address))) return [];
    // A host name in the list does not open an address that must be named itself.
    const named = addresses.find((address) => addressClass(address) === 'must-be-named');
    return [{ seed, addresses, remedy: named ?? name }];
  });
  return (await Promise.all(judged)).flat();
}

/** Empty if the name has no address, or if the lookup takes too long. */
async function addressesOf(name: string): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<[]>();
  const timer = setTimeout(() => resolve([]), LOOKUP_WITHIN_MS);
  try {
    return (await Promise.race([DNS_DEFAULTS.resolve(name), late])).map(({ address }) => address);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** A literal address that is not public, or a name of this machine. */
function isPrivateName(name: string): boolean {
  return isIP(name) === 0 ? isLocalName(name) : addressClass(name) !== 'public';
}
