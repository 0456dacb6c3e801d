/** Reads the event stream format of the HTML standard (section 9.2.6). In: pieces of text. Out: events. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** A line that is longer is not one of this server. */
const MAX_BUFFER_CHARS = 4_000_000;

/** Returns the function that takes the pieces. Comments and unknown fields are ignored. */
export function createParser(onEvent: (event: StreamEvent, id?: string) => void): (text: string) => void {
  let buffer = '';
  let name = '';
  let id: string | undefined;
  let data: string[] = [];
  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ name: name || 'message', data: data.join('\n') }, id);
      name = '';
      id = undefined;
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  };
  return (text) => {
    buffer += text;
    if (buffer.length > MAX_BUFFER_CHARS) throw new Error('An event of the server is too long.');
    const lines = buffer.split(/\r\n|\n/);
    buffer = lines.pop()!;
    for (const line of lines) readLine(line);
  };
}
