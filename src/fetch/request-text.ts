import { isSendableHeader } from './request-headers.ts';
import { CREDENTIALS } from './sent-request.ts';

/** The headers of a request, as a list and as the lines that go over the wire and into the archive. */
export interface RequestText {
  readonly headers: readonly string[];
  readonly lines: string;
  readonly archivedLines: string;
}

/**
 * The same with the headers of one request, which may not be in it already. Their values may come from the web (ETag), so what
 * cannot be sent is left out. A copy is asked for with two of these ten thousand times in a row: nothing is built anew.
 */
export function withRequestHeaders(base: RequestText, extra: Readonly<Record<string, string>>): RequestText {
  const headers = [...base.headers];
  let lines = '';
  let archivedLines = '';
  for (const name in extra) {
    const value = extra[name]!;
    if (!isSendableHeader(name, value)) continue;
    headers.push(name, value);
    const line = `${name}: ${value}\r\n`;
    lines += line;
    if (!CREDENTIALS.test(line)) archivedLines += line;
  }
  return { headers, lines: base.lines + lines, archivedLines: base.archivedLines + archivedLines };
}

/** `host` is name and port, as a Host header has them. The values were checked where they came in. */
export function requestText(host: string, headers: readonly string[]): RequestText {
  let lines = `host: ${host}\r\nconnection: keep-alive\r\n`;
  let archivedLines = lines;
  for (let i = 0; i < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}\r\n`;
    lines += line;
    if (!CREDENTIALS.test(line)) archivedLines += line;
  }
  return { headers, lines, archivedLines };
}
