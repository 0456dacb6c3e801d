/**
 * A message for a webhook of Microsoft Teams (a workflow "when a webhook request is received"): an adaptive card. In: a
 * chat message. Out: the JSON that is posted.
 *
 * What always holds: text of a page is plain text, because a RichTextBlock reads no Markdown.
 */
import type { ChatLine, ChatMessage } from './chat-message.ts';

export function teamsBody({ heading, lines, rest }: ChatMessage): object {
  const body = [
    richText([{ type: 'TextRun', text: heading, weight: 'Bolder' }]),
    ...lines.map((line) => richText(runsOf(line))),
    ...(rest === '' ? [] : [richText([{ type: 'TextRun', text: `… ${rest}` }])]),
  ];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body,
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

interface TextRun {
  readonly type: 'TextRun';
  readonly text: string;
  readonly weight?: 'Bolder';
  readonly selectAction?: { readonly type: 'Action.OpenUrl'; readonly url: string };
}

function richText(inlines: readonly TextRun[]): object {
  return { type: 'RichTextBlock', inlines };
}

function runsOf({ kind, title, url, details }: ChatLine): TextRun[] {
  const link = url === '' ? {} : { selectAction: { type: 'Action.OpenUrl', url } as const };
  return [
    { type: 'TextRun', text: `${kind}: ` },
    { type: 'TextRun', text: title, ...link },
    ...(details === '' ? [] : [{ type: 'TextRun', text: ` (${details})` } as const]),
  ];
}
