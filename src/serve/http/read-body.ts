/** Reads the JSON body of a request. What always holds: at most 256 KB are read, and a slow sender is cut off. */
import type { IncomingMessage } from 'node:http';
import { ApiError } from './api-error.ts';

const MOST_BYTES = 262_144;

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  // Forms of other sites can send any other type without asking first.
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new ApiError('UNSUPPORTED', 'send JSON, with Content-Type: application/json');
  }
  if (Number(request.headers['content-length'] ?? 0) > MOST_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new ApiError('BAD_REQUEST', 'the body is not valid JSON');
  }
}

function tooLarge(): ApiError {
  return new ApiError('TOO_LARGE', `a request may have at most ${MOST_BYTES} bytes`);
}
