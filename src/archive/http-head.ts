/**
 * Builds the head of a response for a record: the head that the server sent, except for headers that do not describe
 * the stored bytes. In: status, status text, headers as received. Out: latin1 text that ends with the blank line.
 *
 * What always holds: each header is one line, whatever a hostile server sent, and Content-Length is correct.
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
      // HTTP/2 pseudo headers are not headers. Any other invalid name is changed to a valid one.
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
  // These responses have no body by definition (RFC 9110 §8.6), so a length would be invented.
  const bodiless = status === 204 || status === 304 || status < 200;
  if (!lengthSaid && !(bodiless && payloadBytes === 0)) head += `Content-Length: ${trueLength}\r\n`;
  return `${head}\r\n`;
}

/** Whether the bytes arrived compressed. Compressing them again would cost time and save nothing. */
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
 * Returns the value as one line. Text is written as latin1, one byte per character, so a character above U+00FF would
 * lose its high byte, and U+010A would become a line feed. Such text is converted to its UTF-8 bytes.
 */
function oneLine(value: string): string {
  if (!LINE_BREAKERS.test(value)) return value;
  // A folded line (RFC 9112 §5.2) means one space. A single line break or NUL is an attempt to add another line.
  const flat = value.replace(/\r?\n[ \t]+/g, ' ').replace(/[\r\n\0]/g, ' ');
  return /[\u0100-\uffff]/.test(flat) ? Buffer.from(flat, 'utf8').toString('latin1') : flat;
}
