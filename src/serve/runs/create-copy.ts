/** Makes a new copy: checks the seeds, makes the folder, and starts the crawl. */
import { resolveOptions } from '../../core/options/options.ts';
import { normalizeSeeds } from '../../crawl/crawl-plan.ts';
import { privateRuleOf, refuseClosedSeeds } from '../../crawl/private-seeds.ts';
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
  await refuseClosedSeeds(seeds, privateRuleOf([], null));
  const copy = copies.create(name);
  starter.start(copy, 'crawl', seeds);
  return copy;
}
