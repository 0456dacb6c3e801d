/** Labels of encodings, as headers and documents write them, and the names that the encoding standard gives them. */

const MAX_LABEL_CHARS = 40;
const MAX_CACHED_LABELS = 1_000;
/** The standard knows these labels, but has no decoder for them. Node refuses them. */
const REPLACED = ['replacement', 'hz-gb-2312', 'iso-2022-kr', 'csiso2022kr', 'iso-2022-cn', 'iso-2022-cn-ext'];

const ENCODINGS = new Map<string, string | null>(REPLACED.map((label) => [label, 'replacement']));

/** The encoding standard's name for a label, or null if the label is unknown. */
export function encodingOfLabel(label: string | null): string | null {
  if (label === null || label === '' || label.length > MAX_LABEL_CHARS) return null;
  const key = label.trim().toLowerCase();
  let encoding = ENCODINGS.get(key);
  if (encoding === undefined) {
    encoding = lookUpEncoding(key);
    if (ENCODINGS.size < MAX_CACHED_LABELS) ENCODINGS.set(key, encoding);
  }
  return encoding;
}

function lookUpEncoding(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/** The charset parameter of a Content-Type, with or without quotes. */
export function charsetOfContentType(contentType: string): string | null {
  for (let at = contentType.indexOf(';'); at >= 0; at = contentType.indexOf(';', at + 1)) {
    const parameter = contentType.slice(at + 1).trimStart();
    if (parameter.slice(0, 7).toLowerCase() !== 'charset') continue;
    // A missing quote at the end is allowed in a header, but not in a document (MIME sniffing standard, 4.5).
    const label = charsetAfter(parameter, 7) ?? charsetAfter(`${parameter}"`, 7);
    if (label !== null) return label;
  }
  return null;
}

/** The label in the content of `<meta http-equiv=content-type>` (HTML standard, "extracting a character encoding"). */
export function charsetOfMetaContent(content: string): string | null {
  const lower = content.toLowerCase();
  for (let at = lower.indexOf('charset'); at >= 0; at = lower.indexOf('charset', at + 7)) {
    if (/^[\t\n\f\r ]*=/.test(content.slice(at + 7, at + 207))) return charsetAfter(content, at + 7);
  }
  return null;
}

/** Reads the value after `charset`: `= "utf-8"`, `=utf-8; …`. */
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
