/**
 * Creates the listeners from the options of the user. Nothing is opened yet. Bad options are
 * refused here, before any folder is touched.
 */
import { type Clock, systemClock } from '../../core/clock.ts';
import { didYouMean } from '../../core/did-you-mean.ts';
import { OrbweaverError } from '../../core/errors.ts';
import { publish } from '../../core/events.ts';
import { CHANGE_KINDS, type ChangeKind } from '../../store/contract.ts';
import { webhookFormat } from './chat/webhook-formats.ts';
import { commandListener } from './command-listener.ts';
import { feedListener } from './feed-listener.ts';
import { DEFAULT_KINDS, type Listener } from './listener.ts';
import { DeliveryPace, type PaceSettings } from './pace/delivery-pace.ts';
import { webhookListener } from './webhook-listener.ts';
import { WebhookSigner } from './webhook-signature.ts';
import { parseCondition } from './when/condition.ts';

export interface ListenerSettings extends PaceSettings {
  /** A command for the shell. */
  readonly onChange?: string | null;
  readonly onChangeTimeoutMs?: number;
  /** An http or https URL. */
  readonly webhook?: string | null;
  readonly webhookSecret?: string | null;
  /** Default: `auto`, the form of the service at the address. */
  readonly webhookFormat?: 'auto' | 'json' | 'slack' | 'discord' | 'teams';
  readonly webhookTimeoutMs?: number;
  /** The name of a file. */
  readonly feed?: string | null;
  readonly feedEntries?: number;
  /** The kinds of changes to deliver. Default: all except noise. */
  readonly kinds?: readonly string[];
  /** Conditions of `--when`. Only checked here: the delivery applies them to all listeners. */
  readonly when?: readonly string[];
}

/** `say` shows the output of the command and other messages for the user. */
export function listenersFrom(settings: ListenerSettings, clock: Clock = systemClock, say = warn): readonly Listener[] {
  const kinds = new Set((settings.kinds ?? DEFAULT_KINDS).map(kindNamed));
  settings.when?.forEach(parseCondition);
  const { onChange, onChangeTimeoutMs = 60_000, feed, feedEntries = 200 } = settings;
  const listeners: Listener[] = [];
  const { quietHours = [], digest = null } = settings;
  const pace = quietHours.length > 0 || digest !== null ? { pace: new DeliveryPace(settings) } : {};
  if (onChange) listeners.push(commandListener({ command: onChange, kinds, timeoutMs: onChangeTimeoutMs, clock, say }));
  const webhook = webhookFrom(settings, kinds, clock, say);
  if (webhook !== null) listeners.push(webhook);
  const paced = listeners.map((listener) => ({ ...listener, ...pace }));
  // A feed shows the state and disturbs nobody, so it knows no quiet hours.
  return feed ? [...paced, feedListener({ file: feed, kinds, maxEntries: feedEntries })] : paced;
}

function webhookFrom(
  { webhook, webhookSecret, webhookFormat: format = 'auto', webhookTimeoutMs = 15_000 }: ListenerSettings,
  kinds: ReadonlySet<ChangeKind>,
  clock: Clock,
  say: (line: string) => void,
): Listener | null {
  if (!webhook) return null;
  const url = URL.parse(webhook);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new OrbweaverError(
      'ERR_BAD_OPTION',
      '--webhook needs an http or https URL, such as https://example.com/hook',
    );
  }
  const signer = webhookSecret ? new WebhookSigner(webhookSecret) : null;
  return webhookListener({
    url,
    format: webhookFormat(format, url),
    signer,
    kinds,
    timeoutMs: webhookTimeoutMs,
    clock,
    say,
  });
}

function kindNamed(written: string): ChangeKind {
  const kind = CHANGE_KINDS.find((known) => known === written);
  if (kind !== undefined) return kind;
  throw new OrbweaverError(
    'ERR_BAD_OPTION',
    `"${written}" is not a kind of change${didYouMean(written, CHANGE_KINDS)}`,
  );
}

function warn(message: string): void {
  publish('crawl/warning', { message });
}
