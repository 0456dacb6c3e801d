/** Reads server-sent events until it is told to stop or the connection ends. */
import { type ClientRequest, get } from 'node:http';

export interface ServerEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Resolves when the connection has ended, for whatever reason. */
export function readEvents(
  url: string,
  headers: Readonly<Record<string, string>>,
  onEvent: (event: ServerEvent, stop: () => void) => void,
): { readonly ended: Promise<void>; stop: () => void } {
  let request: ClientRequest;
  const ended = new Promise<void>((resolve) => {
    let text = '';
    request = get(url, { headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const fields = new Map(
            text
              .slice(0, end)
              .split('\n')
              .map((line) => line.split(': ', 2) as [string, string]),
          );
          const data =
            text
              .slice(0, end)
              .split('\n')
              .find((line) => line.startsWith('data: '))
              ?.slice(6) ?? '';
          text = text.slice(end + 2);
          onEvent({ id: fields.get('id') ?? '', event: fields.get('event') ?? '', data }, () => request.destroy());
          if (request.destroyed) return;
        }
      });
      response.on('close', resolve);
      response.on('error', () => {});
    });
    request.on('error', () => resolve());
    request.on('close', () => resolve());
  });
  return { ended, stop: () => request.destroy() };
}
