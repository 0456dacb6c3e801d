/**
 * The head of a response as it goes into a record: what the server sent, except where it no longer describes the stored
 * bytes. In: status, status text, headers as received. Out: latin1 text that ends with the blank line. Always: one line a
 * header, whatever a hostile server put into them, and a Content-Length that is the true one.
 */
const LINE_BREAKERS = /[\r\n\0\u0100-\uffff]/;
const NOT_TOKEN = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const ORIGINAL = 'X-Archive-Orig-';

export function archivedHttpHead(
  status: number,
  statusText: string,
  rawHeaders: readonly string[],
  payloadBytes: number,
): string {
  const trueLength = String(payloadBytes);
  let lengthSaid = false;
  let head = `HTTP/1.1 ${status} ${oneLine(statusText)}\r\n`;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    let name = rawHeaders[at]!;
    const value = oneLine(rawHeaders[at + 1]!);
    if (NOT_TOKEN.test(name)) {
      // HTTP/2 pseudo headers are no headers; anything else odd stays readable as one.
      if (name.startsWith(':')) continue;
      name = name.replace(/[^!#$%&'*+\-.^_`|~0-9A-Za-z]/g, '_');
    }
    if (name === '') continue;
    if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (value === trueLength && !lengthSaid) lengthSaid = true;
      else name = ORIGINAL + name;
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      name = ORIGINAL + name;
    }
    head += `${name}: ${value}\r\n`;
  }
  // These have no body by definition (RFC 9110 §8.6), so a length would be an invention.
  const bodiless = status === 204 || status === 304 || status < 200;
  if (!lengthSaid && !(bodiless && payloadBytes === 0)) head += `Content-Length: ${trueLength}\r\n`;
  return `${head}\r\n`;
}

/** Whether the bytes came compressed: then compressing them again costs time and saves nothing. */
export function hasContentCoding(rawHeaders: readonly string[]): boolean {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length !== 16 || name.toLowerCase() !== 'content-encoding') continue;
    const coding = rawHeaders[at + 1]!.trim().toLowerCase();
    if (coding !== '' && coding !== 'identity') return true;
  }
  return false;
}

/**
 * A value on one line. Text is written as latin1, one byte a character, so a character past U+00FF would lose its high
 * byte — and U+010A would turn into a line feed. Such text is kept as its UTF-8 bytes instead.
 */
function oneLine(value: string): string {
  if (!LINE_BREAKERS.test(value)) return value;
  // A folded line (RFC 9112 §5.2) means one space; a lone break or NUL is an attempt at another line.
  const flat = value.replace(/\r?\n[ \t]+/g, ' ').replace(/[\r\n\0]/g, ' ');
  return /[\u0100-\uffff]/.test(flat) ? Buffer.from(flat, 'utf8').toString('latin1') : flat;
}
