/**
 * Sends one POST with JSON. Both a response and a missing response are returned as data. Redirects are not followed,
 * and the response body is not kept.
 */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../core/clock.ts';

export interface PostOutcome {
  /** Null if no response came. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly error: string;
}

const MAX_ANSWER_BYTES = 65_536;

/** Never rejects. */
export function postJson(endpoint: string, content: unknown, timeoutMs: number, clock: Clock): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const body = Buffer.from(JSON.stringify(content));
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
    const send = endpoint.startsWith('https:') ? httpsRequest : httpRequest;
    const sent = send(endpoint, { method: 'POST', headers, agent: false });
    const cancel = clock.after(timeoutMs, () => sent.destroy(new Error('the request timed out')));
    const done = (outcome: PostOutcome) => {
      cancel();
      resolve(outcome);
    };
    sent.on('error', (error) => done({ status: null, retryAfterMs: null, error: error.message }));
    sent.on('response', (response) => {
      const { statusCode, headers: answered } = response;
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > MAX_ANSWER_BYTES) sent.destroy();
      });
      response.on('error', () => undefined);
      // The status counts, even if the body fails.
      done({ status: statusCode ?? null, retryAfterMs: retryAfter(answered['retry-after'], clock.now()), error: '' });
      response.once(
        'close',
        clock.after(timeoutMs, () => sent.destroy()),
      );
    });
    sent.end(body);
  });
}

/** Parses seconds or a date. */
function retryAfter(given: string | undefined, nowMs: number): number | null {
  if (given === undefined) return null;
  const ms = /^\d{1,9}$/.test(given) ? Number(given) * 1_000 : Date.parse(given) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
