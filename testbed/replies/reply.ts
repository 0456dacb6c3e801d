/** The parts from which the raw replies of this folder are built. A string has one character per byte. */

/** A reply by name. After the bytes the server closes the connection. */
export type RawReplies = Readonly<Record<string, string>>;

export const BODY = 'hello, world';
export const LENGTH = `Content-Length: ${BODY.length}\r\n`;
export const CHUNKED = 'Transfer-Encoding: chunked\r\n';
export const CHUNKS = `5\r\nhello\r\n7\r\n, world\r\n0\r\n\r\n`;

/** A reply with a status line, the given header lines and a body. */
export function reply(headerLines: string, body = BODY, statusLine = 'HTTP/1.1 200 OK'): string {
  return `${statusLine}\r\n${headerLines}\r\n${body}`;
}

/** One reply for each text, named after its text. */
export function each(what: string, texts: readonly string[], build: (text: string) => string): RawReplies {
  return Object.fromEntries(texts.map((text) => [`${what} ${JSON.stringify(text)}`, build(text)]));
}
