/** Makes a new copy: checks the seeds, makes the folder, and starts the crawl. */
import { OrbweaverError } from '../../core/errors.ts';
import { resolveOptions } from '../../core/options/options.ts';
import { normalizeSeeds } from '../../crawl/crawl-plan.ts';
import { isPrivateSeed, refuseClosedSeeds } from '../../crawl/private-seeds.ts';
import { NOTHING_PRIVATE } from '../../fetch/addresses/private-rule.ts';
import type { Body } from '../contract/routes.ts';
import type { Copies } from '../copies.ts';
import { ApiError } from '../http/api-error.ts';
import type { ServedCopy } from '../served-copy.ts';
import type { RunStarter } from './run-starter.ts';

export async function createCopy(
  { seeds: texts, name }: Body<'createCopy'>,
  copies: Copies,
  starter: RunStarter,
): Promise<ServedCopy> {
  if (texts.length === 0) throw new ApiError('BAD_REQUEST', 'seeds: give at least one URL');
  const seeds = normalizeSeeds(texts, resolveOptions([]));
  // Seeds of a request never open private addresses: only what somebody typed on this machine does.
  const inside = seeds.find(isPrivateSeed);
  if (inside !== undefined) {
    throw new OrbweaverError(
      'ERR_PRIVATE_SEED',
      `${inside} is inside of a private network, which this interface does not open; start it in a terminal: ` +
        `orbweaver crawl ${inside} --dir <folder>`,
    );
  }
  await refuseClosedSeeds(seeds, NOTHING_PRIVATE);
  const copy = copies.create(name);
  starter.start(copy, 'crawl', seeds);
  return copy;
}
