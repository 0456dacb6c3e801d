/**
 * A message for an incoming webhook of Slack, and of programs that read the same form, such as Mattermost and
 * Rocket.Chat. In: a chat message. Out: the JSON that is posted.
 *
 * What always holds: text of a page notifies nobody and becomes no link. Slack reads `<…>` as a command or link, so
 * `&`, `<` and `>` are escaped; Mattermost notifies on `@channel`, so a zero-width space follows each `@`.
 */
import type { ChatLine, ChatMessage } from './chat-message.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '@': '@\u200b' };

export function slackBody({ heading, lines, rest }: ChatMessage): object {
  const text = [`*${escaped(heading)}*`, ...lines.map(slackLine), ...(rest === '' ? [] : [`… ${rest}`])].join('\n');
  return { text, unfurl_links: false, unfurl_media: false };
}

function slackLine({ kind, title, url, details }: ChatLine): string {
  // The first "|" ends the address.
  const address = url.replaceAll('|', '%7C').replaceAll('>', '%3E').replaceAll('<', '%3C').replaceAll('&', '&amp;');
  const name = escaped(title).replaceAll('|', '\u2502');
  return `• ${kind}: ${url === '' ? name : `<${address}|${name}>`}${details === '' ? '' : ` (${escaped(details)})`}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>@]/g, (sign) => ESCAPES[sign]!);
}
