/**
 * The forms in which `--webhook` posts a batch (`--webhook-format`), one row per form. `json` is our own form, and the
 * others are messages for people in a chat.
 */
import { safeJson } from '../../../core/safe-text.ts';
import type { ChangeBatch } from '../listener.ts';
import { chatMessage } from './chat-message.ts';
import { discordBody } from './discord.ts';
import { slackBody } from './slack.ts';
import { teamsBody } from './teams.ts';

export interface WebhookFormat {
  /** The same text for the same batch, whenever it is sent. */
  readonly body: (batch: Pick<ChangeBatch, 'changes' | 'copy'>) => string;
  /** The receiver can verify a signature. Chat services know the sender by the secret address. */
  readonly isSigned: boolean;
  /** The host of the service, for `auto`. */
  readonly host: RegExp | null;
}

type FormatName = 'json' | 'slack' | 'discord' | 'teams';

const FORMATS: Readonly<Record<FormatName, WebhookFormat>> = {
  json: { body: changesBody, isSigned: true, host: null },
  slack: {
    body: (batch) => safeJson(slackBody(chatMessage(batch))),
    isSigned: false,
    host: /^hooks\.slack(?:-gov)?\.com$/,
  },
  discord: {
    body: (batch) => safeJson(discordBody(chatMessage(batch))),
    isSigned: false,
    host: /^(?:(?:canary|ptb)\.)?discord(?:app)?\.com$/,
  },
  teams: {
    body: (batch) => safeJson(teamsBody(chatMessage(batch))),
    isSigned: false,
    host: /\.(?:webhook\.office\.com|logic\.azure\.com|api\.powerplatform\.com)$/,
  },
};

/** `auto`: the form of the service at this address, or else `json`. */
export function webhookFormat(name: 'auto' | FormatName, { hostname }: URL): WebhookFormat {
  if (name !== 'auto') return FORMATS[name];
  return Object.values(FORMATS).find(({ host }) => host?.test(hostname)) ?? FORMATS.json;
}

function changesBody({ changes, copy }: Pick<ChangeBatch, 'changes' | 'copy'>): string {
  return safeJson({
    type: 'orbweaver.changes',
    timestamp: changes.at(-1)?.at ?? null,
    data: { copy: copy.uuid, changes },
  });
}
