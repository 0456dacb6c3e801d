/**
 * Finds options about deliveries that have no effect in a run, because nothing is delivered in the way that they are
 * about. In: the options of a refresh. Out: one message for each case. Without it, somebody who forgot the listener
 * would wait in vain for a message.
 */
import type { RefreshOptions } from '../../core/options/refresh-options.ts';

type DeliveryOptions = Pick<
  RefreshOptions,
  'onChange' | 'webhook' | 'feed' | 'webhookFormat' | 'when' | 'quietHours' | 'digest' | 'timeZone' | 'tellNoise'
>;

export function idleOptions(options: DeliveryOptions): readonly string[] {
  const { onChange, webhook, feed } = options;
  const isPaced = onChange !== null || webhook !== null;
  const content = named([
    ['--when', options.when.length > 0],
    ['--tell-noise', options.tellNoise],
  ]);
  const pace = named([
    ['--quiet-hours', options.quietHours.length > 0],
    ['--digest', options.digest !== null],
    ['--time-zone', options.timeZone !== null],
  ]);
  const form = named([['--webhook-format', options.webhookFormat !== 'auto']]);
  return [
    ...without(isPaced || feed !== null ? [] : content, 'nothing is delivered', '--on-change, --webhook or --feed'),
    ...without(
      isPaced ? [] : pace,
      feed === null ? 'nothing is delivered' : 'a feed is always current',
      '--on-change or --webhook',
    ),
    ...without(webhook === null ? form : [], 'there is no webhook', '--webhook'),
  ];
}

function named(options: readonly (readonly [name: string, isGiven: boolean])[]): readonly string[] {
  return options.flatMap(([name, isGiven]) => (isGiven ? [name] : []));
}

function without(options: readonly string[], why: string, needed: string): readonly string[] {
  if (options.length === 0) return [];
  const [verb, pronoun] = options.length === 1 ? ['has', 'it'] : ['have', 'them'];
  return [`${options.join(' and ')} ${verb} no effect, because ${why}; use ${pronoun} with ${needed}`];
}
