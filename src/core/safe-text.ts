/** Text from the web, for a terminal: without the characters that would move the cursor, change colours or reverse the line. */
export function safeText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}
