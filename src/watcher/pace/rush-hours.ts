/** The times of day, by the server's clock, in which heavy work waits (W9). */
export interface RushHours {
  /** Minutes of the day. A span that ends before it begins continues past midnight. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

const SPAN = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-4]):([0-5]\d)$/;
const MAX_SPANS = 24;
const DAY_MINUTES = 24 * 60;

/** Parses `08:00-10:00,17:30-19:00`; null if the text has another form. */
export function parseRushHours(text: string): RushHours | null {
  const parts = text.split(',', MAX_SPANS + 1);
  if (parts.length > MAX_SPANS) return null;
  const spans: { from: number; to: number }[] = [];
  for (const part of parts) {
    const found = SPAN.exec(part.trim());
    if (found === null) return null;
    const from = Number(found[1]) * 60 + Number(found[2]);
    const to = Number(found[3]) * 60 + Number(found[4]);
    if (to > DAY_MINUTES || from === to) return null;
    spans.push({ from, to });
  }
  return { spans };
}

export function isRushHour(hours: RushHours, nowMs: number): boolean {
  const now = new Date(nowMs);
  const minute = now.getHours() * 60 + now.getMinutes();
  return hours.spans.some(({ from, to }) =>
    from < to ? minute >= from && minute < to : minute >= from || minute < to,
  );
}
