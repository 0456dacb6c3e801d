/**
 * A message for a webhook of Discord. In: a chat message. Out: the JSON that is posted.
 *
 * What always holds: text of a page notifies nobody (`allowed_mentions` is empty) and has no format (each sign of
 * Discord's Markdown is escaped), and the content has at most 2,000 characters.
 */
import { cut } from '../../../core/text/truncate-text.ts';
import type { ChatLine, ChatMessage } from './chat-message.ts';

const MAX_CONTENT_CHARS = 2_000;
/** Links without previews. */
const SUPPRESS_EMBEDS = 4;

export function discordBody({ heading, lines, rest }: ChatMessage): object {
  const texts = [`**${escaped(heading)}**`];
  const end = rest === '' ? '' : `… ${rest}`;
  let chars = texts[0]!.length + end.length + 1;
  for (const line of lines) {
    const text = discordLine(line);
    chars += text.length + 1;
    if (chars > MAX_CONTENT_CHARS) break;
    texts.push(text);
  }
  const content = cut([...texts, end].filter((text) => text !== '').join('\n'), MAX_CONTENT_CHARS);
  return { content, flags: SUPPRESS_EMBEDS, allowed_mentions: { parse: [] } };
}

function discordLine({ kind, title, url, details }: ChatLine): string {
  const address = url.replace(/[()<>\s]/g, (sign) => encodeURIComponent(sign).replace('(', '%28').replace(')', '%29'));
  const name = escaped(title);
  return `- ${kind}: ${url === '' ? name : `[${name}](<${address}>)`}${details === '' ? '' : ` (${escaped(details)})`}`;
}

function escaped(text: string): string {
  // A title that looks like an address would not become a masked link, so its colon and dots are escaped too.
  return text.replace(/[\\`*_~|>#[\]()<:@.-]/g, '\\$&');
}
