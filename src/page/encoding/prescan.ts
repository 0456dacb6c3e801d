/**
 * Reads the declared encoding from the first bytes of a document or from its Content-Type.
 * Returns labels as written, without checking them.
 */

const PRESCAN_BYTES = 1024;

/** The charset parameter of a Content-Type, with or without quotes. */
export function charsetOfContentType(contentType: string): string | null {
  for (let at = contentType.indexOf(';'); at >= 0; at = contentType.indexOf(';', at + 1)) {
    const parameter = contentType.slice(at + 1).trimStart();
    if (parameter.slice(0, 7).toLowerCase() === 'charset') return charsetAfter(parameter, 7);
  }
  return null;
}

/** The label in `<meta charset>` or `<meta http-equiv=content-type>` (HTML standard, "prescan a byte stream"). */
export function prescanMeta(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, Math.min(bytes.length, PRESCAN_BYTES));
  for (let at = head.indexOf('<'); at >= 0; at = head.indexOf('<', at)) {
    if (head.startsWith('<!--', at)) {
      const end = head.indexOf('-->', at + 2);
      if (end < 0) return null;
      at = end + 3;
    } else if (/^<meta[\t\n\f\r /]/i.test(head.slice(at, at + 6))) {
      const attributes = readAttributes(head, at + 5);
      const label = labelOfMeta(attributes.values);
      if (label !== null) return label;
      at = attributes.after;
    } else if (/^<\/?[a-z]/i.test(head.slice(at, at + 3))) {
      at = readAttributes(head, skipTagName(head, at + 1)).after;
    } else if (/^<[!/?]/.test(head.slice(at, at + 2))) {
      const end = head.indexOf('>', at);
      if (end < 0) return null;
      at = end + 1;
    } else at++;
  }
  return null;
}

function labelOfMeta(values: Map<string, string>): string | null {
  const charset = values.get('charset');
  if (charset !== undefined) return charset;
  if (values.get('http-equiv')?.toLowerCase() !== 'content-type') return null;
  const content = values.get('content') ?? '';
  const lower = content.toLowerCase();
  for (let at = lower.indexOf('charset'); at >= 0; at = lower.indexOf('charset', at + 7)) {
    const label = charsetAfter(content, at + 7);
    if (label !== null) return label;
  }
  return null;
}

/**
 * Reads `<?xml version="1.0" encoding="…"?>`. Also recognizes UTF-16, where each
 * letter has a zero byte before or after it.
 */
export function prescanXmlDeclaration(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, Math.min(bytes.length, 256));
  if (head.startsWith('<\0?\0')) return 'utf-16le';
  if (head.startsWith('\0<\0?')) return 'utf-16be';
  if (!head.startsWith('<?xml')) return null;
  const end = head.indexOf('?>');
  const match = /encoding[\t\n\r ]*=[\t\n\r ]*["']([^"']+)/.exec(end < 0 ? head : head.slice(0, end));
  return match?.[1] ?? null;
}

/** Reads the value after `charset` in a Content-Type: `= "utf-8"`, `=utf-8; …`. */
function charsetAfter(text: string, from: number): string | null {
  const rest = text.slice(from, from + 200).trimStart();
  if (!rest.startsWith('=')) return null;
  const value = rest.slice(1).trimStart();
  const quote = value[0];
  if (quote === '"' || quote === "'") {
    const end = value.indexOf(quote, 1);
    return end < 0 ? null : value.slice(1, end);
  }
  return /^[^\t\n\f\r ;,]*/.exec(value)?.[0] ?? null;
}

function skipTagName(head: string, from: number): number {
  let at = from;
  while (at < head.length && !/[\t\n\f\r >]/.test(head[at] as string)) at++;
  return at;
}

const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />=][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r >"'][^\t\n\f\r >]*)))?/y;

/** Reads the attributes up to the `>`. The text has at most 1024 bytes, so a regular expression is fast enough. */
function readAttributes(head: string, from: number): { values: Map<string, string>; after: number } {
  const values = new Map<string, string>();
  let at = from;
  for (;;) {
    ATTRIBUTE.lastIndex = at;
    const match = ATTRIBUTE.exec(head);
    if (match === null) break;
    at = ATTRIBUTE.lastIndex;
    const name = (match[1] as string).toLowerCase();
    if (!values.has(name)) values.set(name, (match[2] ?? match[3] ?? match[4] ?? '').trim());
  }
  const end = head.indexOf('>', at);
  return { values, after: end < 0 ? head.length : end + 1 };
}
