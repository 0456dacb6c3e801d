/**
 * Which private addresses a crawl may reach. In: the seeds and `--allow-private`, as the user typed them, now or when
 * the
 * crawl was begun. Out: the rule that every connection of the crawl is judged by (fetch/private-rule.ts).
 *
 * What always holds: DNS has no part in the decision, nor has a page or a redirect. Both inputs are stored with the
 * crawl,
 * so a later run decides the same.
 */
import { isIP } from 'node:net';
import type { AllowPrivate } from '../core/allow-private.ts';
import { OrbweaverError } from '../core/errors.ts';
import { publish } from '../core/events.ts';
import { DNS_DEFAULTS } from '../fetch/dns-cache.ts';
import { addressClass } from '../fetch/private-address.ts';
import { isLocalName, nameOf, PrivateJudge, type PrivateRule } from '../fetch/private-rule.ts';
import type { Store } from '../store/contract.ts';
import { hostOf } from '../url/host.ts';
import { typedSeeds } from './crawl-plan.ts';
import { keptOptions } from './data-folder.ts';

/** A name server that is slower does not hold up the start: its host is judged when it is connected to. */
const LOOKUP_WITHIN_MS = 5_000;
/** Seeds that are named in one message or warned of. */
const MOST_TOLD = 5;

/**
 * A list of `--allow-private` is the whole answer. Otherwise all private addresses are open if the option is given bare
 * or
 * if every seed is private. A private seed may be reached at its own origin in any case: the user typed it.
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

export interface SettledPrivate {
  /** The value that holds from now on: the given one, or else the stored one. */
  readonly allowPrivate: AllowPrivate;
  readonly rule: PrivateRule;
  /** The crawl had another value until now. */
  readonly isReplaced: boolean;
}

/** Reads the store, and writes nothing. `written` are seeds that are not noted yet. */
export async function settlePrivate(
  store: Pick<Store, 'note'>,
  written: readonly string[],
  given: AllowPrivate,
): Promise<SettledPrivate> {
  const stored = (await keptOptions(store)).allowPrivate;
  const allowPrivate = given ?? stored;
  const seeds = [...(await typedSeeds(store)), ...written];
  const isReplaced = (await store.note('rules')) !== null && textOf(allowPrivate) !== textOf(stored);
  return { allowPrivate, rule: privateRuleOf(seeds, allowPrivate), isReplaced };
}

/** Stores a new value, tells the user in one line, and lets URLs wait again that were left out by the former one. */
export async function applyReplaced(
  store: Pick<Store, 'note' | 'setNote' | 'allowPrivate'>,
  { allowPrivate, isReplaced }: SettledPrivate,
  nowMs: number,
): Promise<void> {
  if (!isReplaced) return;
  const rules = JSON.parse((await store.note('rules')) ?? '{}') as Record<string, unknown>;
  await store.setNote('rules', JSON.stringify({ ...rules, allowPrivate }));
  const released = await store.allowPrivate(nowMs);
  const again = released === 0 ? '' : `; URLs that were left out and are tried again: ${released}`;
  publish('crawl/warning', { message: `this crawl now reaches ${textOf(allowPrivate)}${again}` });
}

function textOf(allowPrivate: AllowPrivate): string {
  if (typeof allowPrivate === 'object' && allowPrivate !== null) {
    return `private addresses of ${[...allowPrivate].sort().join(', ') || 'its seeds'} only`;
  }
  return allowPrivate ? 'all private addresses' : 'private addresses only if all its seeds are private';
}

interface ClosedSeed {
  readonly seed: string;
  readonly addresses: readonly string[];
  /** What to write behind --allow-private. */
  readonly remedy: string;
}

/** Throws if a seed that the user has just typed leads nowhere but to addresses that the rule does not allow. */
export async function refuseClosedSeeds(seeds: readonly string[], rule: PrivateRule): Promise<void> {
  const closed = await closedSeeds(seeds, rule);
  const [first] = closed;
  if (first === undefined) return;
  const others = closed.length === 1 ? '' : `, and so do ${closed.length - 1} other seeds`;
  throw new OrbweaverError(
    'ERR_PRIVATE_SEED',
    `${first.seed} leads only to private addresses (${first.addresses.join(', ')})${others}; ` +
      `a crawl reaches them only if you say so: --allow-private=${closed
        .slice(0, MOST_TOLD)
        .map(({ remedy }) => remedy)
        .join(',')}`,
  );
}

/** Of seeds that were typed in an earlier run: their pages are kept, and are not asked for. */
export async function warnOfClosedSeeds(seeds: readonly string[], rule: PrivateRule): Promise<void> {
  for (const { seed, addresses, remedy } of (await closedSeeds(seeds, rule)).slice(0, MOST_TOLD)) {
    const message = `${seed} leads only to private addresses now (${addresses.join(', ')}) and is not asked; to allow it: --allow-private=${remedy}`;
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
    // A name does not open an address that must be named.
    const named = addresses.find((address) => addressClass(address) === 'must-be-named');
    return [{ seed, addresses, remedy: named ?? name }];
  });
  return (await Promise.all(judged)).flat();
}

/** Empty where the name has none, or where the answer takes too long. */
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
