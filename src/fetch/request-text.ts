import { CREDENTIALS } from './sent-request.ts';

/** The headers of a request, as a list and as the lines that go over the wire and into the archive. */
export interface RequestText {
  readonly headers: readonly string[];
  readonly lines: string;
  readonly archivedLines: string;
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
